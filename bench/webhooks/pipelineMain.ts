import { readFileSync } from "node:fs";
import { makePlace } from "../tools/places.js";
import { formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { measureSenders } from "./measureSenders.js";
import { readWebhookOptions } from "./options.js";
import { openPipelines } from "./pipelines.js";

const { port, authority, concurrency, rounds, deliveries, markdown, stores } = readWebhookOptions();
const [store = "memory"] = stores;
const places = { one: await makePlace(store, "one"), twenty: await makePlace(store, "twenty") };
const target = { url: `https://localhost:${port}/hook`, ca: readFileSync(authority, "utf8"), concurrency };
try {
  const senders = await openPipelines(store, places, target);
  const { cpu } = await measureSenders(senders, { rounds, deliveries });
  const heat: Heat = {
    title: `${store}: a delivery from emit to record, CPU time of the service (bars: 600 and 300 µs)`,
    figures: cpu,
    comparisons: [],
  };
  console.log(formatHeat(heat));
  if (markdown) console.log(`\n${formatHeats([heat])}`);
  for (const sender of senders) await sender.close();
} finally {
  for (const place of Object.values(places)) await place.remove();
}
