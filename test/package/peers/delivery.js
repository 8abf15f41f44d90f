// Sends one delivery to a server on this machine: node delivery.js <folder with certificates>.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { undiciTransport } from "restwright/undici";

const [folder] = process.argv.slice(2);
const pem = (name) => readFileSync(join(folder, name), "utf8");

const received = [];
const server = createServer({ cert: pem("server.pem"), key: pem("server.key") }, async (incoming, outgoing) => {
  received.push([incoming.method, incoming.url, incoming.headers["webhook-id"], Buffer.concat(await incoming.toArray()).toString()]);
  outgoing.writeHead(503, { "retry-after": "7" }).end("later");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

const transport = undiciTransport({ network: { allowHosts: ["localhost"], ca: pem("ca.pem") } });
const url = new URL(`https://localhost:${server.address().port}/hooks`);
const result = await transport.send({ url, headers: { "webhook-id": "msg_1" }, body: Buffer.from('{"id":"msg_1"}') });
assert.deepEqual([result.status, result.retryAfter, Buffer.from(result.bodyHead).toString()], [503, "7", "later"]);
assert.deepEqual(received, [["POST", "/hooks", "msg_1", '{"id":"msg_1"}']]);

const blocked = await undiciTransport().send({ url, headers: {}, body: Buffer.from("{}") });
assert.equal(blocked.errorCode, "ADDRESS_BLOCKED");

server.close();
server.closeAllConnections();
process.stdout.write("delivered");
process.exit(0);
