import { setTimeout as sleep } from "node:timers/promises";
import type { Storage } from "restwright";
import { undiciTransport } from "../../../../adapters/undici/undiciTransport.js";
import { createSecretBox } from "../../../../src/ground/secrets/secretBox.js";
import { fullService } from "../../../tools/fullService.js";
import { orders, secrets } from "../emissionStage.js";
import { fixture, startServer } from "../transport/transportServer.js";

export interface HangingOptions {
  readonly storage: Storage;
  /** Tenants whose webhooks never answer, and how many each has. */
  readonly tenants: number;
  readonly hooks: number;
  /** Whether the webhooks that answer are of the first of these tenants, or of another one. */
  readonly isSameTenant?: boolean | undefined;
  readonly headTimeoutMs: number;
  readonly seconds: number;
}

export interface HangingFigures {
  /** From the emission of an event to its delivery to a webhook that answers, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly deliveries: number;
  /** Requests that were never answered. */
  readonly hung: number;
  /** Deliveries to webhooks that answer which took more than one attempt, e.g. since this machine was too busy to connect. */
  readonly again: number;
}

const healthyHooks = 5;
const emitEveryMs = 250;
const type = "report.ready";

/** How long webhooks that answer wait for events while others hang: real sockets, one host name for all, an event a second for each webhook that hangs. */
export async function measureHanging(options: HangingOptions): Promise<HangingFigures> {
  const { storage, tenants, hooks, isSameTenant = false, headTimeoutMs, seconds } = options;
  const begun = new Map<string, number>();
  const came: { readonly id: string; readonly atMs: number }[] = [];
  let [hung, again] = [0, 0];
  const server = await startServer((socket, request) => {
    if (request.startsWith("POST /hang")) {
      hung += 1;
      return;
    }
    if (!request.includes("webhook-attempt: 1\r\n")) again += 1;
    came.push({ id: /webhook-id: (\S+)/.exec(request)?.[1] ?? "", atMs: performance.now() });
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const transport = undiciTransport({
    network: { allowCidrs: ["127.0.0.1/32"], ca: fixture("ca.pem") },
    lookup: async () => ["127.0.0.1"],
    headTimeoutMs,
  });
  const webhooks = { transport, events: [type, "healthy.ready"], disableAfter: { consecutive: 1_000_000 } };
  const service = fullService({ resources: [orders], storage, webhooks, secrets });
  await service.start();
  const box = createSecretBox(secrets);
  const listen = async (id: string, tenant: string, path: string, event: string) => {
    const url = `https://hooks.test:${server.port}/${path}`;
    const secret = box.seal("a secret of the receiver", id);
    await storage.webhooks?.create({ id, tenant, owner: "ada", url, events: [event], secret, secretHint: "…er" });
  };
  const names = Array.from({ length: tenants }, (_, index) => `tenant${index}`);
  for (const tenant of names) for (let number = 0; number < hooks; number++) await listen(`${tenant} ${number}`, tenant, "hang", type);
  const own = isSameTenant ? "tenant0" : "another";
  for (let number = 0; number < healthyHooks; number++) await listen(`healthy ${number}`, own, "fine", "healthy.ready");

  const untilMs = performance.now() + seconds * 1_000;
  for (let round = 0; performance.now() < untilMs; round++) {
    if (round % (1_000 / emitEveryMs) === 0) for (const tenant of names) await service.emit({ type, data: {}, tenant });
    const begunMs = performance.now();
    begun.set(await service.emit({ type: "healthy.ready", data: {}, tenant: own }), begunMs);
    await sleep(emitEveryMs);
  }
  const wanted = begun.size * healthyHooks;
  for (let waitedMs = 0; came.length < wanted && waitedMs < 2 * headTimeoutMs; waitedMs += 50) await sleep(50);
  await service.close({ graceMs: 0 });
  await server.close();
  if (came.length < wanted) throw new Error(`${came.length} of ${wanted} deliveries have come.`);
  const delays = came.map(({ id, atMs }) => atMs - (begun.get(id) ?? Number.NaN)).sort((left, right) => left - right);
  const at = (part: number) => Math.round(delays[Math.ceil(delays.length * part) - 1] ?? Number.NaN);
  return { p50Ms: at(0.5), p99Ms: at(0.99), deliveries: delays.length, hung, again };
}
