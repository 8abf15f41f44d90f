import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { undiciTransport } from "restwright/undici";
import { expect, onTestFinished } from "vitest";
import { clientOf } from "../../../tools/client.js";
import { eventually } from "../../../tools/eventually.js";
import { fullService } from "../../../tools/fullService.js";
import { orders, secrets } from "../emissionStage.js";
import type { RawServer } from "../transport/transportServer.js";
import { network } from "../transport/transportSetup.js";
import type { DeliveryAnswer } from "./ladder/ladderStage.js";

/** The times of a transport, on a clock that a test advances: how long a busy machine takes to connect and to answer is none of them. */
const limits = { connectTimeoutMs: 5_000, headTimeoutMs: 30_000, bodyMs: 2_000 };

/** What a receiver does not send: its times end then. */
export type Missing = "head" | "body";

/** A clock that tells which times were asked for. */
class AskedClock extends FakeClock {
  readonly asked: number[] = [];

  override setTimeout(run: () => void, ms: number) {
    this.asked.push(ms);
    return super.setTimeout(run, ms);
  }
}

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
  const clock = new AskedClock();
  const times = { ...limits, timers: clock, monotonicMs: () => clock.now() };
  const transport = undiciTransport({ network: { ...network, ...more }, lookup, ...times });
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
    /** Ends the time of what a receiver does not send, once all that it does send has come. */
    async giveUp(missing: Missing, server: RawServer): Promise<void> {
      await eventually(() => {
        expect(server.requests).toHaveLength(1);
        expect(clock.asked).toContain(missing === "head" ? limits.headTimeoutMs : limits.bodyMs);
      });
      clock.advance(missing === "head" ? limits.headTimeoutMs : limits.bodyMs);
    },
    /** What the log says of the only delivery, once it has so many attempts and none is under way. */
    async logged(attempts: number): Promise<Logged> {
      const target = `/webhooks/${webhook}`;
      const { id } = await eventually(async () => {
        const [found] = (await send({ target: `${target}/deliveries` })).json.data;
        expect([found?.status !== "sending", found?.attemptCount >= attempts]).toEqual([true, true]);
        return found;
      });
      const delivery = (await send({ target: `${target}/deliveries/${id}` })).json;
      return { delivery, webhook: (await send({ target })).json };
    },
  };
}

/** Sends one event to a receiver and answers what the log says of its first attempt. */
export async function deliveredTo(url: string, options: HooksOptions = {}, meanwhile?: (hook: Awaited<ReturnType<typeof hooks>>) => Promise<void>) {
  const hook = await hooks(options);
  const deliverTo = async (to: string): Promise<Logged> => {
    await hook.listen(to);
    await hook.emit();
    await meanwhile?.(hook);
    meanwhile = undefined;
    return hook.logged(1);
  };
  return { ...(await deliverTo(url)), deliverTo };
}
