(() => {
    // What look.py runs in a page: functions that measure what a reader sees.
    const article = document.querySelector("article");
    // Without the signs beside headings.
    const bare = text => text.replace(/[\s¶]+/g, "");

    const range = (node, at, text) => {
        const found = document.createRange();
        found.setStart(node, at);
        found.setEnd(node, at + text.length);
        return found;
    };

    const width = range => [...range.getClientRects()].reduce((sum, rect) => sum + rect.width, 0);

    // Lines on which the letters of a range are.
    const lines = range => {
        const tops = new Set();
        for (const rect of range.getClientRects()) if (rect.width > 0) tops.add(Math.round(rect.top / 4));
        return tops.size;
    };

    // Names in code that are divided although a line has room for them.
    const dividedNames = () => {
        const found = [];
        for (const code of article.querySelectorAll("code")) {
            if (code.closest("pre")) continue;
            const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                // A path or a command may be longer than a line.
                for (const word of node.data.matchAll(/\S+/g)) {
                    const block = code.closest("p, li, td, th, h1, h2, h3, h4") || article;
                    if (width(range(node, word.index, word[0])) > block.clientWidth - 16) continue;
                    for (const name of word[0].matchAll(/\w{4,}/g))
                        if (lines(range(node, word.index + name.index, name[0])) > 1) found.push(name[0]);
                }
            }
        }
        return found;
    };

    // Whether an ancestor of an element scrolls what is wider than itself.
    const scrolls = element => {
        for (let frame = element; frame && frame != article; frame = frame.parentElement) {
            if (["auto", "scroll"].includes(getComputedStyle(frame).overflowX)) {
                const box = frame.getBoundingClientRect();
                if (box.right <= innerWidth + 1 && box.left >= -1) return true;
            }
        }
        return false;
    };

    // Cells, code and pictures with a part that no scrolling shows.
    const cut = () => {
        const found = [];
        for (const element of article.querySelectorAll("td, th, code, pre, img, table")) {
            const box = element.getBoundingClientRect();
            const hides = ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
            if (element.clientWidth && element.scrollWidth > element.clientWidth + 1 && (hides || element.matches("td, th")))
                found.push("too narrow: " + element.textContent.trim().slice(0, 60));
            if (box.right > innerWidth + 1 && !scrolls(element))
                found.push("beyond the page: " + (element.textContent.trim() || element.src || "").slice(0, 60));
        }
        return found;
    };

    // What a screen reader and a mouse tell of the elements around the text.
    const furniture = () => {
        const parts = [];
        const around = "header, .md-tabs, .md-sidebar--primary, .md-footer, .md-top, .md-skip, .md-search";
        for (const place of document.querySelectorAll(around)) {
            // The table of contents has the headings of the page.
            const copy = place.cloneNode(true);
            copy.querySelectorAll("[data-md-component=toc], script, style").forEach(part => part.remove());
            parts.push(copy.textContent);
            for (const element of [copy, ...copy.querySelectorAll("*")])
                for (const name of ["title", "aria-label", "placeholder"]) parts.push(element.getAttribute(name) || "");
        }
        const toc = document.querySelector(".md-sidebar--secondary .md-nav__title");
        return parts.concat(toc ? toc.textContent : "").join(" ");
    };

    // The least contrast of texts with the page behind them.
    const contrast = () => {
        const luminance = color => color.match(/[\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
            .map(part => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
            .reduce((sum, part, at) => sum + part * [.2126, .7152, .0722][at], 0);
        const over = (top, below) => {
            const [a, b] = [top, below].map(color => color.match(/[\d.]+/g).map(Number));
            const alpha = a.length > 3 ? a[3] : 1;
            return `rgb(${[0, 1, 2].map(at => a[at] * alpha + b[at] * (1 - alpha)).join(",")})`;
        };
        const behind = element => {
            let color = "rgb(255, 255, 255)";
            const chain = [];
            for (let each = element; each; each = each.parentElement) chain.unshift(getComputedStyle(each).backgroundColor);
            for (const each of chain) color = over(each, color);
            return color;
        };
        const texts = [...article.querySelectorAll("p, td, th, li, code, a, pre span")].slice(0, 400);
        return Math.min(...texts.filter(each => each.textContent.trim() && !each.classList.contains("headerlink")).map(each => {
            const back = behind(each), [a, b] = [luminance(over(getComputedStyle(each).color, back)), luminance(back)];
            return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
        }));
    };

    // The first result of a search for each text, by the worker that the page's own search uses.
    const search = async texts => {
        const config = JSON.parse(document.getElementById("__config").textContent);
        const index = await (await fetch(new URL(config.base + "/search/search_index.json", location))).json();
        const worker = new Worker(new URL(config.search, location));
        const ask = message => new Promise(done => {
            worker.onmessage = event => done(event.data.data);
            worker.postMessage(message);
        });
        await ask({type: 0, data: {config: index.config, docs: index.docs, options: {suggest: false}}});
        const names = index.docs.filter(each => /^api\/(?!topic_|header_)\w+\/$/.test(each.location));
        const asked = texts || names.map(each => each.title);
        const found = {};
        for (const text of asked) {
            const {items} = await ask({type: 2, data: text});
            found[text] = items.length ? items[0][0].location : "";
        }
        worker.terminate();
        return found;
    };

    return {
        measure: () => ({
            width: document.documentElement.scrollWidth,
            hidden: bare(article.textContent) == bare(article.innerText) ? "" : "other text",
            text: bare(article.innerText),
            divided: dividedNames(),
            cut: cut(),
            tables: article.querySelectorAll("table").length,
        }),
        furniture, contrast, search,
    };
})()
