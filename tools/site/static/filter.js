// A search box above the tables of the pages that list many things: it hides the rows that do not
// have all of the words. The address keeps them: parameters.html?filter=leaf.
"use strict";

const LISTS = /\/(parameters|errors|estimators|command_line)\.html$/;

function addFilter() {
  const rows = [...document.querySelectorAll("article table tbody tr")];
  const first = document.querySelector("article h1");
  if (!LISTS.test(location.pathname) || rows.length === 0 || first === null) return;

  const box = document.createElement("div");
  box.className = "filter";
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Filter by name or word …";
  input.setAttribute("aria-label", "Show only the lines of the tables that have these words");
  const count = document.createElement("output");
  box.append(input, count);
  first.after(box);

  document.querySelector("article").classList.add("listed");
  for (const row of rows) {
    const heads = [...row.closest("table").querySelectorAll("thead th")];
    [...row.cells].slice(1).forEach((cell, place) => {
      cell.dataset.label = heads[place + 1].textContent;
    });
  }
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const sections = [...document.querySelectorAll("article section section")];

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    for (const section of sections) {
      const own = [...section.querySelectorAll("tbody tr")];
      const nothing = own.length > 0 ? own.every((row) => row.hidden)
        : !words.every((word) => section.textContent.toLowerCase().includes(word));
      section.hidden = words.length > 0 && nothing;
    }
    count.textContent = words.length === 0 ? "" : `${shown} of ${rows.length}`;
  }

  input.addEventListener("input", () => {
    show();
    const address = new URL(location.href);
    if (input.value === "") address.searchParams.delete("filter");
    else address.searchParams.set("filter", input.value);
    try { history.replaceState(null, "", address); } catch (error) { /* a page from a file */ }
  });
  input.value = new URL(location.href).searchParams.get("filter") ?? "";
  show();
}

document.addEventListener("DOMContentLoaded", addFilter);
