"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (name, text) => { const element = document.createElement(name); if (text !== undefined) element.textContent = text; return element; };

  // Theme: auto, light, dark. Storage may not be available to a page opened from disk.
  const theme = document.getElementById("theme");
  const words = { "": "Theme: auto", light: "Theme: light", dark: "Theme: dark" };
  const show = (choice) => {
    if (choice) document.documentElement.dataset.theme = choice; else delete document.documentElement.dataset.theme;
    theme.textContent = words[choice];
  };
  const remembered = () => { try { return localStorage.getItem("dbdyno-theme") || ""; } catch { return ""; } };
  theme.hidden = false;
  show(words[remembered()] ? remembered() : "");
  theme.addEventListener("click", () => {
    const choices = Object.keys(words);
    const next = choices[(choices.indexOf(document.documentElement.dataset.theme || "") + 1) % choices.length];
    show(next);
    try { localStorage.setItem("dbdyno-theme", next); } catch { /* not allowed */ }
  });

  // Sections of details open where a link leads to them, before printing, and where the search finds something.
  const closed = all("details.section");
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const own = target.querySelector(":scope > details.section");
    if (own) own.open = true;
    for (let inside = target.closest("details"); inside; inside = inside.parentElement.closest("details")) inside.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => closed.forEach((section) => { section.open = true; }));
  const search = make("input");
  search.type = "search";
  search.id = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search the page");
  document.querySelector("nav").prepend(search);
  search.addEventListener("input", () => {
    const words = search.value.trim().toLowerCase();
    all("main > section").forEach((section) => {
      const found = section.textContent.toLowerCase().includes(words);
      section.hidden = words !== "" && !found;
      all(":scope > details.section", section).forEach((part) => { part.open = words !== "" && found; });
      all("tbody tr", section).forEach((row) => { row.classList.toggle("found", words !== "" && row.textContent.toLowerCase().includes(words)); });
    });
  });

  // Tables: figures are sorted by value, text alphabetically; unknown values stay last in either order.
  const key = (row, column) => {
    const cell = row.cells[column];
    const figure = cell.classList.contains("figure");
    const shown = cell.textContent.trim();
    const value = shown === "" ? NaN : Number(cell.dataset.v ?? shown);
    return figure ? (Number.isNaN(value) ? null : value) : (shown || null);
  };
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  const sort = (table, head, column) => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return descending ? compare(b, a) : compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  };
  all("table.sortable").forEach((table) => {
    Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells).forEach((head, column) => {
      // A column of marks has no name, and no order.
      if (head.textContent.trim() === "") return;
      const button = make("button", head.textContent);
      button.type = "button";
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });
  });

  // Charts: the tooltip of a point, under the pointer or by the arrow keys.
  const tip = document.getElementById("tip");
  let shown = null;
  const hide = () => { tip.classList.remove("on"); if (shown) shown.classList.remove("now"); shown = null; };
  const showTip = (element) => {
    if (shown === element) return;
    hide();
    shown = element;
    element.classList.add("now");
    tip.textContent = element.dataset.label;
    tip.classList.add("on");
    const edges = element.getBoundingClientRect();
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(4, edges.left + edges.width / 2 - box.width / 2), innerWidth - box.width - 4);
    const above = edges.top - box.height - 8;
    tip.style.left = left + "px";
    tip.style.top = (above >= 4 ? above : Math.min(edges.bottom + 8, innerHeight - box.height - 4)) + "px";
  };
  all(".chart .scroll").forEach((frame) => {
    const points = all("[data-label]", frame);
    if (points.length === 0) return;
    let at = -1;
    const caption = frame.closest("figure").querySelector("figcaption");
    const hint = make("span", "; the arrow keys read its figures");
    hint.className = "unseen";
    caption.append(hint);
    frame.addEventListener("pointerover", (event) => {
      const point = event.target.closest("[data-label]");
      if (point) { at = points.indexOf(point); showTip(point); } else hide();
    });
    frame.addEventListener("pointerleave", hide);
    frame.addEventListener("blur", hide);
    frame.addEventListener("keydown", (event) => {
      const last = points.length - 1;
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
      if (event.key === "Escape") { hide(); return; }
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      at = Math.min(Math.max(next, 0), last);
      const target = points[at].getBoundingClientRect();
      const edges = frame.getBoundingClientRect();
      if (target.left < edges.left || target.right > edges.right) frame.scrollLeft += target.left - edges.left - edges.width / 2;
      showTip(points[at]);
    });
  });
  addEventListener("scroll", hide, { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // In print everything is open but the data.
  addEventListener("beforeprint", () => all("details:not(.data)").forEach((details) => { details.open = true; }));

  // Data: the text on the page, as a file and as a table.
  const parse = (text) => {
    const rows = [[]];
    let field = "", quoted = false;
    for (let index = 0; index < text.length; index += 1) {
      const letter = text[index];
      if (quoted) {
        if (letter === '"' && text[index + 1] === '"') { field += letter; index += 1; }
        else if (letter === '"') quoted = false; else field += letter;
      } else if (letter === '"') quoted = true;
      else if (letter === "," || letter === "\n") {
        rows[rows.length - 1].push(field);
        field = "";
        if (letter === "\n") rows.push([]);
      } else if (letter !== "\r") field += letter;
    }
    if (field || rows[rows.length - 1].length) rows[rows.length - 1].push(field);
    return rows.filter((row) => row.length > 0);
  };
  const ROWS_SHOWN = 500;
  const table = (rows, caption) => {
    const element = make("table");
    element.append(make("caption", caption));
    const head = element.createTHead().insertRow();
    rows[0].forEach((name) => { const cell = make("th", name); cell.scope = "col"; head.append(cell); });
    const body = element.createTBody();
    rows.slice(1, ROWS_SHOWN + 1).forEach((row) => {
      const line = body.insertRow();
      row.forEach((value) => line.append(make("td", value)));
    });
    return element;
  };
  all("details.data").forEach((details) => {
    const pre = details.querySelector("pre");
    const text = pre.textContent;
    const button = make("button", "Save as CSV");
    button.type = "button";
    const title = details.closest(".diagram").querySelector("figcaption").firstChild.textContent;
    button.setAttribute("aria-label", "Save as CSV: " + title);
    button.addEventListener("click", () => {
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      link.download = details.dataset.file + ".csv";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    button.className = "csv";
    details.before(button);
    details.addEventListener("toggle", () => {
      if (!details.open || !pre.isConnected) return;
      const rows = parse(text);
      const more = rows.length - 1 > ROWS_SHOWN ? ": the first " + ROWS_SHOWN + " of " + (rows.length - 1) + " lines" : "";
      const frame = make("div");
      frame.className = "tall";
      frame.tabIndex = 0;
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", "Data of: " + title);
      frame.append(table(rows, title + more));
      pre.replaceWith(frame);
    });
  });
})();
