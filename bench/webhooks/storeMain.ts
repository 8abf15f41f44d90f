import { openStorage } from "../tools/openStorage.js";
import { makePlace } from "../tools/places.js";
import type { Summary } from "../tools/statistics.js";
import { type MeasuredClaims, measureClaims } from "./claims.js";
import { measureFanOut } from "./fanOut.js";
import { readWebhookOptions } from "./options.js";
import { openOutbox } from "./outbox.js";

const { stores, questions, endpoints, rounds, rows } = readWebhookOptions();
const [store = "memory"] = stores;
const place = await makePlace(store, "webhooks");
try {
  const outbox = await openOutbox(await openStorage({ store, location: place.location }));
  if (questions.includes("fanOut")) {
    const { enqueueMs, claimMs } = await measureFanOut(outbox, { endpoints, rounds });
    console.log(line("one event", `${endpoints} endpoints`, `enqueued in ${milliseconds(enqueueMs)}, claimed in ${milliseconds(claimMs)}`));
  }
  // In memory, what waits is in lists by webhook: there is nothing to search.
  if (questions.includes("claim") && store !== "memory") {
    const idle = await measureClaims(outbox, 0, "idle", place.analyze);
    console.log(line("claim of 100", "none waiting", describe(idle)));
    const busy = await measureClaims(outbox, rows, "busy", place.analyze);
    const ratio = busy.claimMs.median / idle.claimMs.median;
    console.log(line("claim of 100", `${rows} waiting`, `${describe(busy)}, ${ratio.toFixed(2)} × none waiting`));
  }
  await outbox.storage.close?.();
} finally {
  await place.remove();
}

function line(what: string, where: string, figures: string): string {
  return `${store.padEnd(9)} ${what.padEnd(13)} ${where.padEnd(15)} ${figures}`;
}

function describe({ claimMs, claimed, healthy }: MeasuredClaims): string {
  return `${milliseconds(claimMs)}; ${healthy} of ${claimed} for healthy endpoints`;
}

function milliseconds({ median, minimum, maximum }: Summary): string {
  return `${median.toFixed(1)} (${minimum.toFixed(1)}–${maximum.toFixed(1)}) ms`;
}
