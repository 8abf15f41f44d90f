import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifyWebhook, type WebhookEvent } from "restwright/webhooks";
import { onTestFinished } from "vitest";
import { fixture } from "../../capabilities/webhooks/transport/transportServer.js";

/** Certificate of the authority that signed the one of every receiver here. */
export const authority = fileURLToPath(new URL("../../capabilities/webhooks/transport/fixtures/ca.pem", import.meta.url));

/** What the shop needs to reach receivers on this machine, and to try again at once. */
export const loopback = { NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_HOSTS: "localhost", WEBHOOK_SCHEDULE_SECONDS: "0,0.1,0.1" };

/** A delivery as it came. */
export interface Delivered {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  readonly event: WebhookEvent;
}

export interface ShopReceiver {
  /** Of this receiver, for one webhook of its own. */
  url(path: string): string;
  /** What came at a path, in order. */
  at(path: string): readonly Delivered[];
  /** Waits until so many have come at a path. @throws {Error} after ten seconds */
  until(path: string, count: number): Promise<readonly Delivered[]>;
  /** Status of the answers at a path from now on; 200 before. */
  answer(path: string, status: number): void;
}

/** A server over https on this machine that takes down what comes; it closes after the test. */
export async function startReceiver(): Promise<ShopReceiver> {
  const delivered: Delivered[] = [];
  const statuses = new Map<string, number>();
  const server = createServer({ cert: fixture("server.pem"), key: fixture("server.key") }, async (request, response) => {
    const path = request.url ?? "";
    const rawBody = await request.toArray().then(Buffer.concat, () => undefined);
    // The shop was killed while it sent this.
    if (rawBody === undefined) return;
    delivered.push({ path, headers: request.headers, rawBody, event: JSON.parse(rawBody.toString()) as WebhookEvent });
    response.writeHead(statuses.get(path) ?? 200, { "content-type": "text/plain" }).end("heard");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => delivered.filter((one) => one.path === path);
  return {
    url: (path) => `https://localhost:${port}${path}`,
    at,
    async until(path, count) {
      for (let waitedMs = 0; at(path).length < count; waitedMs += 20) {
        if (waitedMs > 30_000) throw new Error(`${at(path).length} deliveries came at ${path}, not ${count}.`);
        await sleep(20);
      }
      return at(path);
    },
    answer: (path, status) => statuses.set(path, status),
  };
}

/** Whether one secret verifies a delivery. */
export function isSignedBy({ headers, rawBody }: Delivered, secret: string): boolean {
  try {
    verifyWebhook({ headers, rawBody, secrets: [secret] });
    return true;
  } catch {
    return false;
  }
}
