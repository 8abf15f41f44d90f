import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { live } from "restwright/live";
import { nodeHandler } from "restwright/node";
import { postgresStorage } from "restwright/postgres";
import { z } from "zod";

/** What a process of the measurement is. */
export type StreamRole =
  | { readonly kind: "server"; readonly connectionString: string; readonly schema: string }
  | { readonly kind: "writer"; readonly connectionString: string; readonly schema: string; readonly owners: number }
  | { readonly kind: "clients"; readonly port: number; readonly count: number; readonly owners: number };

/** What it is asked for. */
export type StreamQuestion = { readonly write: number; readonly everyMs: number } | { readonly measure: true };

/** What it tells: that it is ready, with its port; figures; or, of clients, when events came after their writes, in milliseconds. */
export type StreamTold =
  | { readonly ready: number }
  | { readonly delays: readonly number[] }
  | { readonly memory: number; readonly longestMs: number };

const tell = (told: StreamTold) => process.send?.(told);

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), owner: z.string(), text: z.string(), sentAt: z.number() }),
  generated: { id: "increment" },
  scope: ({ principal }) => ({ owner: principal.id }),
  live: true,
});

function serviceAt(connectionString: string, schema: string) {
  return createService({
    resources: [notes],
    storage: postgresStorage({ connectionString, schema }),
    auth: [bearer((id) => ({ id }))],
    logger: false,
    use: [live({ maxStreams: { principal: 1_000 } })],
  });
}

const now = () => performance.timeOrigin + performance.now();

async function serve({ connectionString, schema }: Extract<StreamRole, { kind: "server" }>): Promise<void> {
  const service = serviceAt(connectionString, schema);
  await service.start();
  const server = createServer(nodeHandler(service)).listen(0, "127.0.0.1", () => tell({ ready: (server.address() as AddressInfo).port }));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on("message", () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    tell({ memory: heapUsed + external, longestMs: delay.max / 1e6 });
    delay.reset();
  });
}

async function write({ connectionString, schema, owners }: Extract<StreamRole, { kind: "writer" }>): Promise<void> {
  const service = serviceAt(connectionString, schema);
  await service.start();
  tell({ ready: 0 });
  process.on("message", async ({ write: count, everyMs }: Extract<StreamQuestion, { write: number }>) => {
    const { notes: rows } = service.asSystem();
    for (let index = 0; index < count; index += 1) {
      const next = new Promise((resolve) => setTimeout(resolve, everyMs));
      await rows.create({ owner: `owner-${index % owners}`, text: "A note of some words", sentAt: now() });
      await next;
    }
    tell({ delays: [] });
  });
}

function follow({ port, count, owners }: Extract<StreamRole, { kind: "clients" }>): void {
  const delays: number[] = [];
  let ready = 0;
  for (let index = 0; index < count; index += 1) {
    const headers = { accept: "text/event-stream", authorization: `Bearer owner-${index % owners}` };
    get({ port, host: "127.0.0.1", path: "/notes", headers, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (text: string) => {
        const at = now();
        for (const [, sentAt] of text.matchAll(/"sentAt":([\d.]+)/g)) delays.push(at - Number(sentAt));
        if (!text.includes("event: ready")) return;
        ready += 1;
        if (ready === count) tell({ ready });
      });
    });
  }
  process.on("message", () => tell({ delays: delays.splice(0) }));
}

const role: StreamRole = JSON.parse(process.argv[2] ?? "");
if (role.kind === "server") await serve(role);
else if (role.kind === "writer") await write(role);
else follow(role);
