import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fixture } from "../../../capabilities/webhooks/transport/transportServer.js";
import type { Random } from "../../../fuzz/random.js";

/** An event that has come, as often as it came. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: number; readonly name: string; readonly revision: number };
  readonly body: string;
  times: number;
}

export interface Receiver {
  readonly origin: string;
  /** By path and id. */
  readonly received: ReadonlyMap<string, ReadonlyMap<string, ReceivedEvent>>;
  readonly faults: readonly string[];
  close(): void;
}

/** A receiver that takes its time, answers a tenth of what comes with 503, and some only when nobody waits any more. */
export async function startReceiver(paths: readonly string[], random: Random): Promise<Receiver> {
  const received = new Map(paths.map((path) => [path, new Map<string, ReceivedEvent>()]));
  const faults: string[] = [];
  const server = createServer({ cert: fixture("server.pem"), key: fixture("server.key") }, async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Whoever sent it was killed on the way.
      return;
    }
    const id = String(request.headers["webhook-id"]);
    const fault = keep(received.get(request.url ?? ""), id, Buffer.concat(chunks).toString());
    if (fault !== undefined) faults.push(fault);
    const chance = random();
    await sleep(chance > 0.98 ? 450 : random() * 30);
    response.writeHead(chance < 0.1 ? 503 : 204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `https://hooks.test:${port}`, received, faults, close };
}

/** @returns what is wrong with it */
function keep(events: Map<string, ReceivedEvent> | undefined, id: string, body: string): string | undefined {
  if (events === undefined) return `${id} came to a path that nobody has registered`;
  const event = JSON.parse(body) as Pick<ReceivedEvent, "id" | "type" | "data">;
  const known = events.get(id);
  if (known === undefined) {
    events.set(id, { ...event, body, times: 1 });
    return event.id === id ? undefined : `${id} is called ${event.id} in its body`;
  }
  known.times += 1;
  return known.body === body ? undefined : `${id} came with two bodies`;
}
