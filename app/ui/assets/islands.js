// Loads the client and hydrates the islands of this page. The page names the two files.
const tag = document.getElementById("islands");
const wasm = fetch(tag.dataset.wasm);
const client = await import(tag.dataset.client);
await client.default({ module_or_path: wasm });
client.hydrate();
for (const island of document.querySelectorAll("leptos-island")) {
  const hydrate = client[island.dataset.component];
  if (!hydrate) {
    console.error(`no island ${island.dataset.component} in the client`);
    continue;
  }
  await hydrate(island);
  island.dataset.ready = "";
}
document.documentElement.dataset.islands = "ready";
