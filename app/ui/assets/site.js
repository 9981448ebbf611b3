// Small comforts of every page; each of them has a plain way without JavaScript.
const root = document.documentElement;
root.classList.add("js");
const zh = root.lang.startsWith("zh");

// Light, dark, automatic: the server renders the choice from the cookie, so no page flashes.
document.querySelector("form.theme")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const order = ["auto", "light", "dark"];
  const next = order[(order.indexOf(root.dataset.theme) + 1) % order.length];
  root.dataset.theme = next;
  document.cookie = `theme=${next}; Path=/; Max-Age=31536000; SameSite=Lax`;
});

// Copy buttons on code.
for (const code of document.querySelectorAll("figure.code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = zh ? "复制" : "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.querySelector("code").textContent);
    button.textContent = zh ? "已复制" : "Copied";
    setTimeout(() => (button.textContent = zh ? "复制" : "Copy"), 1600);
  });
  code.append(button);
}

// The outline follows the reader.
const entries = new Map([...document.querySelectorAll(".outline a")].map((a) => [a.hash.slice(1), a]));
if (entries.size) {
  const seen = new IntersectionObserver(
    (changes) => {
      for (const change of changes) {
        if (!change.isIntersecting) continue;
        for (const a of entries.values()) a.removeAttribute("aria-current");
        entries.get(change.target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-10% 0px -75% 0px" },
  );
  for (const id of entries.keys()) {
    const heading = document.getElementById(id);
    if (heading) seen.observe(heading);
  }
}

// A file dropped on the upload form is a file chosen there.
const drop = document.querySelector("form.drop");
if (drop) {
  const input = drop.querySelector("input[type=file]");
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}

// j and k turn the page; nothing happens while one types.
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.key === "j" || event.key === "k") {
    document.querySelector(event.key === "j" ? "a[rel=next]" : "a[rel=prev]")?.click();
  }
});

// A kernel is written in an editor; without it the field does.
const kernel = document.querySelector("textarea[data-script]");
if (kernel) {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = kernel.dataset.style;
  const lines = kernel.dataset.lines.split(" ").filter(Boolean).map(Number);
  style.addEventListener("load", async () => (await import(kernel.dataset.script)).edit(kernel, lines));
  document.head.append(style);
}
