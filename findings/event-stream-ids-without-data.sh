#!/usr/bin/env bash
# The HTML standard (§9.2.6) moves the last event ID with each block of an event stream, also with one that has an `id` and no `data`, which is no event. eventsource 4.0.0 (with
# eventsource-parser 3.0.6) connects again with the ID of the last event, and not with the later one; @microsoft/fetch-event-source 2.0.1 moves the ID, and calls `onmessage` with empty data
# for the block, and for a block that is only a comment. undici 7.30.2 does as the standard says.
# In restwright: streams of live rows send an `id` alone every 15 s, so a client that ignores it goes on from an earlier position and is told some changes again (docs/live.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund eventsource@4.0.0 eventsource-parser@3.0.6 @microsoft/fetch-event-source@2.0.1 undici@7.30.2
cat > main.mjs <<'JS'
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { EventSource } from "eventsource";
import { EventSource as UndiciEventSource } from "undici";

const require = createRequire(import.meta.url);
const { fetchEventSource } = require("@microsoft/fetch-event-source");
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };

/** Sends one event, an ID alone and a comment, and ends; tells with which ID each client connects again. */
function serve() {
  let told;
  const again = new Promise((resolve) => (told = resolve));
  let connections = 0;
  const server = createServer((request, response) => {
    connections += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (connections === 1) return response.end("retry: 10\n\nid: 1\ndata: first\n\nid: 2\n\n: alive\n\n");
    told(request.headers["last-event-id"]);
    response.end();
  });
  return new Promise((resolve) => server.listen(0, () => resolve({ server, again, url: `http://127.0.0.1:${server.address().port}/` })));
}

async function ofClass(Class) {
  const { server, again, url } = await serve();
  const source = new Class(url);
  const messages = [];
  source.onmessage = ({ data }) => messages.push(data);
  const id = await again;
  source.close();
  server.close();
  return JSON.stringify({ id, messages });
}

async function ofFetch() {
  const { server, again, url } = await serve();
  const abort = new AbortController();
  const messages = [];
  const done = fetchEventSource(url, {
    signal: abort.signal,
    openWhenHidden: true,
    onmessage: ({ data }) => messages.push(data),
    onclose() {
      throw new Error("again");
    },
    onerror: () => 10,
  });
  const id = await again;
  abort.abort();
  await done.catch(() => {});
  server.close();
  return JSON.stringify({ id, messages: messages.slice(0, 4) });
}

console.log(`eventsource ${await ofClass(EventSource)}`);
console.log(`undici ${await ofClass(UndiciEventSource)}`);
console.log(`fetch-event-source ${await ofFetch()}`);
process.exit(0);
JS
found=$(node --no-warnings main.mjs)
echo "$found"
[[ $found == 'eventsource {"id":"1","messages":["first"]}
undici {"id":"2","messages":["first"]}
fetch-event-source {"id":"2","messages":["","first","",""]}' ]]
