import { createService, defineResource, type ServiceOptions, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { hooks } from "restwright/hooks";
import { type JobApi, type JobDefinitions, type JobOptions, type JobState, jobs } from "restwright/jobs";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { eventually } from "../../../tools/eventually.js";

export const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), owner: z.string().default("nobody") }),
  generated: { id: "increment" },
  scope: ({ principal }) => ({ owner: principal.id }),
  hooks: {
    afterWrite: async ({ kind, row, tx }) => {
      if (kind !== "create" || row === undefined || !String(row.text).startsWith("mail")) return;
      await tx.jobs.enqueue("mail", { to: String(row.text) });
      if (String(row.text) === "mail nobody") throw new Error("no such person");
    },
  },
});

export interface OwnStageOptions<H extends JobDefinitions> extends Omit<JobOptions<H>, "handlers"> {
  readonly storage: Storage;
  readonly handlers: H;
  readonly service?: Partial<Omit<ServiceOptions, "use" | "storage" | "resources">> | undefined;
}

/** A service with jobs of its own; it is closed after the test. */
export function ownStage<const H extends JobDefinitions>({ storage, handlers, service: others, ...options }: OwnStageOptions<H>) {
  const logged: { readonly level: string; readonly message: string; readonly err: unknown }[] = [];
  const log = (level: string) => (facts: object, message: string) => void logged.push({ level, message, err: (facts as { err?: unknown }).err });
  const service = createService({
    resources: [notes],
    storage,
    secrets: ["a secret of the service itself"],
    principals: { reload: false },
    auth: [bearer((id) => ({ id }))],
    logger: { error: log("error"), warn: log("warn"), info: () => {}, debug: () => {} },
    use: [jobs({ pollMs: 50, ...options, handlers }), hooks()],
    ...others,
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { service, logged, ended: (id: string) => ended(service, id), system: service.asSystem() };
}

/** The job when it has ended. */
function ended({ jobs: all }: JobApi, id: string): Promise<JobState> {
  return eventually(async () => {
    const state = await all.get(id);
    if (state?.finishedAt === undefined) throw new Error(`The job is ${state?.status}.`);
    return state;
  });
}
