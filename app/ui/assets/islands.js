// Loads the clients that this page names, script and wasm in turn, and hydrates each island with the one that knows it.
const names = document.getElementById("islands").dataset.clients.split(" ");
const load = async (script, wasm) => {
  const bytes = fetch(wasm);
  const client = await import(script);
  await client.default({ module_or_path: bytes });
  client.hydrate();
  return client;
};
const loading = [];
for (let at = 0; at < names.length; at += 2) loading.push(load(names[at], names[at + 1]));
const clients = await Promise.all(loading);
for (const island of document.querySelectorAll("leptos-island")) {
  const name = island.dataset.component;
  const client = clients.find((client) => client[name]);
  if (!client) {
    console.error(`no island ${name} in the clients of this page`);
    continue;
  }
  await client[name](island);
  island.dataset.ready = "";
}
document.documentElement.dataset.islands = "ready";
