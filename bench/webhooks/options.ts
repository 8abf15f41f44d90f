import { parseArgs } from "node:util";
import { oneOf, type Store, stores } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";

/** What can be measured. */
export const questions = ["send", "pipeline", "fanOut", "claim"] as const;
export type Question = (typeof questions)[number];

/** What `webhooks.ts` is told, and the programs that it starts. */
export interface WebhookBenchOptions {
  readonly questions: readonly Question[];
  readonly stores: readonly Store[];
  readonly rounds: number;
  /** Of one sender in one round. */
  readonly deliveries: number;
  /** Deliveries under way at once. */
  readonly concurrency: number;
  /** Webhooks that one event goes to. */
  readonly endpoints: number;
  /** Deliveries of one webhook that wait while others are claimed. */
  readonly rows: number;
  readonly markdown: boolean;
  /** For `sendMain.ts` and `pipelineMain.ts`: port of the receiver, and path of the certificate of its authority. */
  readonly port: number;
  readonly authority: string;
}

/** @throws {Error} for an option that cannot be */
export function readWebhookOptions(): WebhookBenchOptions {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      store: { type: "string", multiple: true, default: [...stores] },
      rounds: { type: "string", default: "7" },
      deliveries: { type: "string", default: "3000" },
      concurrency: { type: "string", default: "16" },
      endpoints: { type: "string", default: "1000" },
      rows: { type: "string", default: "300000" },
      markdown: { type: "boolean", default: false },
      port: { type: "string", default: "1" },
      authority: { type: "string", default: "" },
    },
  });
  const { markdown, authority } = values;
  const only = values.only.map((value) => oneOf("only", value, questions));
  return {
    questions: only.length === 0 ? questions : only,
    stores: values.store.map((value) => oneOf("store", value, stores)),
    rounds: wholeNumber("rounds", values.rounds),
    deliveries: wholeNumber("deliveries", values.deliveries),
    concurrency: wholeNumber("concurrency", values.concurrency),
    endpoints: wholeNumber("endpoints", values.endpoints),
    rows: wholeNumber("rows", values.rows),
    port: wholeNumber("port", values.port),
    markdown,
    authority,
  };
}
