use std::fs::{self, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A folder for one test, and in it one for all users, as /tmp is.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        fs::set_permissions(made.path(), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(made.shared()).unwrap();
        fs::set_permissions(made.shared(), Permissions::from_mode(0o1777)).unwrap();
        made
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn shared(&self) -> PathBuf {
        self.path().join("shared")
    }

    fn own(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }
}

fn refused(opened: Result<File>) -> String {
    let error = opened.expect_err("the file is not opened");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    error.to_string()
}

#[test]
fn a_link_in_a_folder_for_all_users_leads_nowhere() {
    let folders = Folders::new();
    let (victim, link) = (folders.own("victim"), folders.shared().join("trace.json"));
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &link).unwrap();
    assert!(refused(open(&link)).contains("\"trace.json\" is a symbolic link"));
    // Nor is a file created where a link leads to nothing, nor a folder passed.
    let (missing, dangling) = (folders.own("missing"), folders.shared().join("dangling"));
    symlink(&missing, &dangling).unwrap();
    refused(open(&dangling));
    symlink(folders.path(), folders.shared().join("folder")).unwrap();
    refused(open(&folders.shared().join("folder/victim")));
    refused(create_folders(&folders.shared().join("folder/made")).map(|()| unreachable!()));
    assert!(!missing.exists() && !folders.own("made").exists());
    // Nor through an own link that leads there.
    symlink(folders.shared().join("trace.json"), folders.own("detour")).unwrap();
    refused(open(&folders.own("detour")));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn links_in_own_folders_and_those_of_the_kernel_are_followed() {
    let folders = Folders::new();
    fs::create_dir(folders.own("runs")).unwrap();
    symlink("runs", folders.own("latest")).unwrap();
    symlink("../runs/target", folders.own("runs/link")).unwrap();
    open(&folders.own("latest/link")).unwrap().write_all(b"text").unwrap();
    assert_eq!(fs::read_to_string(folders.own("runs/target")).unwrap(), "text");
    create_folders(&folders.own("latest/one/two")).unwrap();
    create_folders(&folders.own("latest/one/two")).unwrap();
    assert!(folders.own("runs/one/two").is_dir());
    let file = File::create(folders.own("numbered")).unwrap();
    for name in ["self", "thread-self"] {
        open(Path::new(&format!("/proc/{name}/fd/{}", file.as_raw_fd()))).unwrap().write_all(b"more").unwrap();
    }
    assert_eq!(fs::read_to_string(folders.own("numbered")).unwrap(), "more");
    open(Path::new("/dev/null")).unwrap();
    open(Path::new("/dev/stdout")).unwrap();
}

#[test]
fn what_is_no_file_is_refused_as_by_the_system() {
    let folders = Folders::new();
    symlink("circle", folders.own("circle")).unwrap();
    fs::write(folders.own("file"), "").unwrap();
    let code = |path: PathBuf| open(&path).unwrap_err().raw_os_error();
    assert_eq!(code(folders.own("circle")), Some(libc::ELOOP));
    assert_eq!(code(folders.own("file/below")), Some(libc::ENOTDIR));
    assert_eq!(code(folders.own("none/below")), Some(libc::ENOENT));
    for folder in [folders.path().to_path_buf(), folders.own("shared/"), folders.own("new/"), "/".into(), "..".into()] {
        assert_eq!(open(&folder).unwrap_err().kind(), ErrorKind::IsADirectory, "{folder:?}");
    }
    assert_eq!(open(Path::new("")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_second_name_of_a_file_in_a_folder_for_all_users_is_refused() {
    let folders = Folders::new();
    fs::write(folders.own("victim"), "precious").unwrap();
    fs::hard_link(folders.own("victim"), folders.shared().join("trace.json")).unwrap();
    for mode in [0o1777, 0o777] {
        fs::set_permissions(folders.shared(), Permissions::from_mode(mode)).unwrap();
        assert!(refused(open(&folders.shared().join("trace.json"))).contains("second hard link"), "{mode:o}");
    }
    assert_eq!(fs::read_to_string(folders.own("victim")).unwrap(), "precious");
    // A file of this user is written again.
    open(&folders.shared().join("own")).unwrap();
    open(&folders.shared().join("own")).unwrap();
}

#[test]
fn files_and_links_of_other_users() {
    if !geteuid().is_root() {
        return println!("skipped: needs root");
    }
    let folders = Folders::new();
    let theirs = folders.shared().join("theirs");
    fs::write(&theirs, "").unwrap();
    chown(&theirs, Some(65533), Some(65533)).unwrap();
    assert!(refused(open(&theirs)).contains("belongs to another user"));
    // A folder of another user, with a link of that user and one of this user.
    let home = folders.own("home");
    fs::create_dir(&home).unwrap();
    symlink(folders.own("victim"), home.join("planted")).unwrap();
    symlink(folders.own("target"), home.join("own")).unwrap();
    std::os::unix::fs::lchown(home.join("planted"), Some(65533), Some(65533)).unwrap();
    chown(&home, Some(65533), Some(65533)).unwrap();
    refused(open(&home.join("planted")));
    open(&home.join("own")).unwrap();
    assert!(!folders.own("victim").exists() && folders.own("target").exists());
}

#[test]
fn what_root_records_is_for_root_alone() {
    let folders = Folders::new();
    let path = folders.own("new");
    open(&path).unwrap();
    let mode = fs::metadata(&path).unwrap().mode() & 0o777;
    if geteuid().is_root() { assert_eq!(mode, 0o600) } else { assert_eq!(mode & 0o600, 0o600) }
}
