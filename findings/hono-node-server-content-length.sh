#!/usr/bin/env bash
# @hono/node-server 1.19.10: a response whose headers are a `Headers` object with Content-Length goes out with two Content-Length fields. RFC 9110 §8.6 allows a recipient
# to refuse that, and Node's own fetch does. 1.19.11 sends one. In restwright: adapters/hosts/nodeBindings.ts leaves the length of text and bytes to that server (docs/hosts.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund hono@4.13.19 old@npm:@hono/node-server@1.19.10 new@npm:@hono/node-server@1.19.11
cat > show.mjs <<'JS'
import { once } from "node:events";
import { connect } from "node:net";

const { serve } = await import(process.argv[2]);
const fetch = () => new Response("hello", { headers: new Headers({ "content-length": "5" }) });
const server = serve({ port: 0, hostname: "127.0.0.1", fetch });
if (!server.listening) await once(server, "listening");
const socket = connect(server.address().port, "127.0.0.1");
socket.end("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
const answer = Buffer.concat(await socket.toArray()).toString();
console.log(answer.match(/^content-length:.*$/gim).length);
server.close();
JS
old=$(node show.mjs old)
new=$(node show.mjs new)
echo "fields Content-Length in one answer: @hono/node-server 1.19.10: $old, 1.19.11: $new"
[[ $old == 2 && $new == 1 ]]
