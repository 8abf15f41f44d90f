import { setTimeout as sleep } from "node:timers/promises";
import { memoryStorage } from "restwright/memory";
import { undiciTransport } from "restwright/undici";
import { onTestFinished } from "vitest";
import { fullService } from "../fullService.js";
import { clientOf } from "../service/client.js";
import { orders, secrets } from "./emissionStage.js";
import type { DeliveryAnswer } from "./ladderStage.js";
import { network } from "./transportSetup.js";

/** Long enough for a busy machine to connect, short enough for a test. */
export const faultLimits = { headTimeoutMs: 700, bodyMs: 150 };

export interface HooksOptions {
  readonly ca?: readonly string[];
  readonly allowCidrs?: readonly string[];
  readonly lookup?: () => Promise<readonly string[]>;
  readonly scheduleMs?: readonly number[];
}

interface Logged {
  readonly delivery: DeliveryAnswer;
  readonly webhook: Readonly<Record<string, unknown>>;
}

/** A service with the transport of production, for which every name means 127.0.0.1. */
export async function hooks({ lookup = async () => ["127.0.0.1"], scheduleMs, ...more }: HooksOptions = {}) {
  const transport = undiciTransport({ network: { ...network, ...more }, lookup, ...faultLimits });
  const service = fullService({
    resources: [orders],
    storage: memoryStorage(),
    webhooks: { transport, events: ["report.ready"], scheduleMs },
    secrets,
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  const send = clientOf(service);
  let webhook = "";
  return {
    async listen(url: string): Promise<void> {
      const { status, json, text } = await send({ method: "POST", target: "/webhooks", body: { url, events: ["report.ready"] } });
      if (status !== 201) throw new Error(`The registration was answered ${status}: ${text}`);
      webhook = json.id;
    },
    emit: async () => service.emit({ type: "report.ready", data: { pages: 3 } }),
    /** What the log says of the only delivery, once it has so many attempts and none is under way. */
    async logged(attempts: number): Promise<Logged> {
      const target = `/webhooks/${webhook}`;
      for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 10) {
        const [found] = (await send({ target: `${target}/deliveries` })).json.data;
        if (found !== undefined && found.status !== "sending" && found.attemptCount >= attempts) {
          const delivery = (await send({ target: `${target}/deliveries/${found.id}` })).json;
          return { delivery, webhook: (await send({ target })).json };
        }
        await sleep(10);
      }
      throw new Error(`The log has no ${attempts} attempts.`);
    },
  };
}

/** Sends one event to a receiver and answers what the log says of its first attempt. */
export async function deliveredTo(url: string, options: HooksOptions = {}) {
  const hook = await hooks(options);
  const deliverTo = async (to: string): Promise<Logged & { readonly tookMs: number }> => {
    await hook.listen(to);
    const begunMs = performance.now();
    await hook.emit();
    const logged = await hook.logged(1);
    return { ...logged, tookMs: performance.now() - begunMs };
  };
  return { ...(await deliverTo(url)), deliverTo };
}
