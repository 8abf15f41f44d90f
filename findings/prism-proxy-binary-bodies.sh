#!/usr/bin/env bash
# Prism 5.16.0: `prism proxy` reads the body of a request as text before it sends it on, so that bytes that are no UTF-8 arrive as U+FFFD (EF BF BD). A picture in a form, or alone,
# is another file after it, with the content length of the changed one. In restwright: docs/clients.md says that uploads cannot be tried through Prism.
# It needs Node 24.18 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @stoplight/prism-cli@5.16.0 node@24
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Pictures", "version": "1" },
  "paths": {
    "/pictures": {
      "post": {
        "requestBody": { "content": { "application/octet-stream": {} } },
        "responses": { "200": { "description": "The bytes in hexadecimal.", "content": { "text/plain": { "schema": { "type": "string" } } } } }
      }
    }
  }
}
JSON
cat > show.mjs <<'JS'
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";

const server = createServer(async (request, response) => {
  response.writeHead(200, { "content-type": "text/plain" }).end((await buffer(request)).toString("hex"));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const direct = `http://127.0.0.1:${server.address().port}`;
const prism = spawn(process.execPath, ["node_modules/.bin/prism", "proxy", "openapi.json", direct, "--port", "0"]);
let proxied = "";
for await (const line of createInterface({ input: prism.stdout })) if ((proxied = /listening on (http:\S+)/.exec(line)?.[1] ?? "") !== "") break;
const send = async (origin) => {
  const body = Buffer.from("89504e470d0a", "hex");
  return (await fetch(`${origin}/pictures`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body })).text();
};
console.log(`${await send(direct)} ${await send(proxied)}`);
prism.kill();
server.close();
JS
seen=$(node_modules/node/bin/node show.mjs)
echo "89 50 4E 47 0D 0A as the server sees it: sent directly and through Prism 5.16.0: $seen"
[[ $seen == "89504e470d0a efbfbd504e470d0a" ]]
