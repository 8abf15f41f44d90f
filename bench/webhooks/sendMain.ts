import { readFileSync } from "node:fs";
import { formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { summarize } from "../tools/statistics.js";
import { measureSenders } from "./measureSenders.js";
import { readWebhookOptions } from "./options.js";
import { createSenders, senderNames } from "./senders.js";

const { port, authority, concurrency, rounds, deliveries, markdown } = readWebhookOptions();
const senders = createSenders({ url: `https://localhost:${port}/hook`, ca: readFileSync(authority, "utf8"), concurrency });
const { transport, undici, fetch, service } = senderNames;
try {
  const { cpu, perSecond } = await measureSenders(senders, { rounds, deliveries });
  const heat: Heat = {
    title: "a signed delivery over https, CPU time of the sender",
    figures: cpu,
    comparisons: [
      { one: transport, other: undici, bar: 1.3 },
      { one: transport, other: fetch, bar: 0.2 },
      { one: service, other: transport },
    ],
  };
  console.log(formatHeat(heat));
  for (const [name, figures] of perSecond) {
    const { median, minimum, maximum } = summarize(figures);
    console.log(`  ${name.padEnd(44)} ${median.toFixed(0)} (${minimum.toFixed(0)}–${maximum.toFixed(0)}) deliveries a second`);
  }
  if (markdown) console.log(`\n${formatHeats([heat])}`);
} finally {
  for (const sender of senders) await sender.close();
}
// Connections that fetch keeps would hold the process.
process.exit();
