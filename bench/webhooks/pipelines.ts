import { createService, type DeliveryOutcome, type DeliveryStore, type HeldOutcome, type Storage } from "restwright";
import { undiciTransport } from "restwright/undici";
import { createSecretBox, webhooks } from "restwright/webhooks";
import { openStorage } from "../tools/openStorage.js";
import type { Place } from "../tools/places.js";
import type { Store } from "../tools/serverOptions.js";
import { eventData, eventType, secret } from "./delivery.js";
import type { Sender, Target } from "./senders.js";

/** Names of the senders of `openPipelines`, by the number of webhooks that an event goes to. */
export const pipelineNames = { one: "one webhook, event after event", twenty: "20 webhooks an event" } as const;

/** Two services on stores of their own that do all that a delivery needs: the event is stored, claimed, signed and sent, and its result is recorded. */
export async function openPipelines(store: Store, places: Readonly<Record<keyof typeof pipelineNames, Place>>, target: Target) {
  return [
    await openPipeline(pipelineNames.one, 1, await openStorage({ store, location: places.one.location }), target),
    await openPipeline(pipelineNames.twenty, 20, await openStorage({ store, location: places.twenty.location }), target),
  ] as const;
}

/** Emits an event, waits until its result is recorded at each webhook, and emits the next. */
async function openPipeline(name: string, receivers: number, storage: Storage, { url, ca }: Target): Promise<Sender> {
  const { counted, recorded } = countRecords(storage);
  const transport = undiciTransport({ network: { allowHosts: ["localhost"], ca } });
  const service = createService({ resources: [], storage: counted, use: [webhooks({ transport, events: [eventType] })], secrets: [secret] });
  await service.start();
  for (let number = 0; number < receivers; number++) {
    const id = `wh_${number}`;
    const sealed = createSecretBox([secret]).seal(secret, id);
    await storage.webhooks?.create({ id, tenant: undefined, owner: "bench", url, events: ["*"], secret: sealed, secretHint: "" });
  }
  return {
    name,
    async send(times) {
      for (let sent = 0; sent < times; sent += receivers) {
        const all = recorded(receivers);
        await service.emit({ type: eventType, data: eventData });
        await all;
      }
    },
    close: () => service.close(),
  };
}

/** The same storage, which tells when so many more successes have been recorded; asking it would cost what is to be measured. */
function countRecords(storage: Storage): { readonly counted: Storage; readonly recorded: (more: number) => Promise<void> } {
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error(`The storage "${storage.name}" keeps no webhooks.`);
  let left = 0;
  let done = () => {};
  const count = (outcomes: readonly DeliveryOutcome[]) => {
    if (outcomes.some(({ next }) => next.state !== "succeeded")) throw new Error("A delivery failed.");
    left -= outcomes.length;
    if (left === 0) done();
  };
  const record: DeliveryStore["record"] = async (lease, outcome) => {
    const result = await deliveries.record(lease, outcome);
    count([outcome]);
    return result;
  };
  const together = deliveries.recordMany?.bind(deliveries);
  const recordMany =
    together &&
    (async (results: readonly HeldOutcome[]) => {
      const recorded = await together(results);
      count(results.map(({ outcome }) => outcome));
      return recorded;
    });
  const counting: DeliveryStore = Object.create(deliveries, { record: { value: record }, recordMany: { value: recordMany } });
  const recorded = (more: number) =>
    new Promise<void>((resolve) => {
      [left, done] = [more, resolve];
    });
  return { counted: Object.create(storage, { deliveries: { value: counting } }), recorded };
}
