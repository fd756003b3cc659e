//! Checks that pages have what other files have: commands in both languages, and the inputs of the action.

use super::read;

/// Returns the lines of the code blocks of a page's section whose first line fits, without their comments.
fn lines_of_blocks(page: &str, heading: &str, begins: impl Fn(&str) -> bool) -> Vec<String> {
    let document = read(page);
    let section = document.split(&format!("\n## {heading}\n")).nth(1).unwrap_or_else(|| panic!("{page}: no {heading}"));
    let blocks = section.split("\n## ").next().unwrap().split("\n```").skip(1).step_by(2);
    let lines = blocks.filter(|block| begins(block.lines().next().unwrap())).flat_map(|block| block.lines().skip(1));
    lines.map(|line| line.split("  #").next().unwrap().trim_end().to_owned()).collect()
}

/// Checks that the Chinese page has the commands and programs of the English one, which `./dev check readme-commands`
/// runs.
#[test]
fn the_first_program_is_the_same_in_both_languages() {
    let labelled = |line: &str| line != "sh";
    let english = lines_of_blocks("docs/install.md", "The smallest program", labelled);
    assert!(english.len() > 40, "{english:?}");
    assert_eq!(english, lines_of_blocks("docs/zh/first_program.md", "写一个自己的程序", |_| true));
}

/// Checks that docs/ci.md has a row for each input of the action, and that its script names the variable of each.
#[test]
fn every_input_of_the_action_is_documented() {
    let action = read("integrations/packaging/action/action.yml");
    let inputs = action.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:\n").next().unwrap();
    let names: Vec<&str> = inputs
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':').filter(|name| !name.starts_with(' ')))
        .collect();
    assert!(names.len() >= 4, "{names:?}");
    let (page, script) = (read("docs/ci.md"), read("integrations/packaging/action/install.sh"));
    for name in names {
        assert!(page.contains(&format!("\n| `{name}` | ")), "docs/ci.md has no row for the input {name}");
        let variable = format!("PORTACL_INPUT_{}", name.to_uppercase());
        assert!(page.contains(&variable), "docs/ci.md does not name {variable}");
        assert!(script.contains(&format!("\n# {variable} ")), "install.sh does not describe {variable}");
    }
}
