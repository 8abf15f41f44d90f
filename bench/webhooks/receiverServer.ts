import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { verifyWebhook } from "restwright/webhooks";
import { reportTo } from "../tools/control.js";
import { secret } from "./delivery.js";

const { values } = parseArgs({ options: { cert: { type: "string", default: "" }, key: { type: "string", default: "" } } });

/** Believes nobody: whoever does not sign as the others do is seen at once. */
const server = createServer({ cert: readFileSync(values.cert), key: readFileSync(values.key) }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(isSigned(request.headers, Buffer.concat(chunks)) ? 200 : 401, { "content-length": "2" }).end("ok");
  });
});

function isSigned(headers: Readonly<Record<string, string | string[] | undefined>>, rawBody: Buffer): boolean {
  try {
    verifyWebhook({ headers, rawBody, secrets: [secret] });
    verifyWebhook({ headers, rawBody, secrets: [secret], mode: "x-signature" });
    return true;
  } catch {
    return false;
  }
}

server.listen(0, "127.0.0.1");
await once(server, "listening");
reportTo((server.address() as AddressInfo).port);
