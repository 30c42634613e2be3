// Draw all figures; light and dark; where the reader is.

for (const figure of document.querySelectorAll("figure[data-kind]")) {
  const data = page.figures[Number(figure.dataset.number)];
  figures[figure.dataset.kind](figure.querySelector(".drawing"), data);
}

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

const links = new Map(
  [...document.querySelectorAll("nav a")].map((link) => [link.getAttribute("href").slice(1), link]));
const seen = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) seen.add(entry.target.id);
    else seen.delete(entry.target.id);
  }
  const here = [...links.keys()].find((id) => seen.has(id));
  for (const [id, link] of links) link.classList.toggle("here", id === here);
}, { rootMargin: "-15% 0px -60% 0px" });
for (const id of links.keys()) observer.observe(document.getElementById(id));

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
