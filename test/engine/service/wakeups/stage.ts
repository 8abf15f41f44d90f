import { type Capability, createService, type Service, type ServiceOptions, type Storage, type Wakeups } from "restwright";
import { type JobOptions, jobs, jobsOf } from "restwright/jobs";
import { type SubscriberApi, type SubscribersOptions, subscribers } from "restwright/subscribers";
import { type WebhookOptions, webhooks } from "restwright/webhooks";
import { onTestFinished } from "vitest";
import type { JobHandler } from "../../../../src/capabilities/jobs/run/handler.js";
import { submitJob } from "../../../../src/capabilities/jobs/submit/submit.js";
import { orders, Receiver, secrets } from "../../../capabilities/webhooks/emissionStage.js";
import { clientOf } from "../../../tools/client.js";

/** Far beyond the end of a test: what happens, happens without a poll. */
export const never = 10 * 24 * 3_600_000;

export interface ProcessOptions {
  readonly storage: Storage;
  readonly wakeups?: Wakeups | false | undefined;
  /** Whether it works, or leaves all work to others. */
  readonly work: boolean;
  /** The interval of all polls, in milliseconds; by default there are none. `usual`: that of the library. */
  readonly pollMs?: number | "usual" | undefined;
  readonly run?: JobHandler["run"] | undefined;
  readonly jobs?: JobOptions;
  readonly webhooks?: Partial<WebhookOptions>;
  readonly subscribers?: SubscribersOptions;
  readonly logger?: ServiceOptions["logger"];
  /** Varies the intervals of polls. */
  readonly random?: ServiceOptions["random"];
}

interface Submitting {
  submit(id: string): Promise<void>;
}

/** One process of a service: what it began, and what causes work. */
export interface Process {
  readonly service: Service & SubscriberApi & Submitting;
  readonly began: string[];
  readonly receiver: Receiver;
  /** Causes an event, which has a delivery and a task. */
  order(): Promise<void>;
  close(): Promise<void>;
}

/** A process whose jobs, deliveries and handlers end at once, and which is closed after the test. */
export async function startProcess({ storage, wakeups, work, pollMs: given = never, run, ...options }: ProcessOptions): Promise<Process> {
  const began: string[] = [];
  const receiver = new Receiver();
  const pollMs = given === "usual" ? undefined : given;
  const running: JobHandler["run"] = async (job, call) => {
    began.push(`job ${job.id}`);
    return run?.(job, call) ?? { status: "completed" };
  };
  const service = createService({
    resources: [orders],
    storage,
    secrets,
    wakeups,
    logger: options.logger ?? false,
    random: options.random,
    use: [
      jobs({ work, pollMs, ...options.jobs }),
      submitting(running),
      webhooks({ transport: receiver, events: ["report.ready"], work, pollMs, ...options.webhooks }),
      subscribers({ events: ["report.ready"], work, pollMs, ...options.subscribers }),
    ],
  });
  service.on(["order.created", "report.ready"], { name: "mail" }, async ({ type }) => void began.push(`mail ${type}`));
  receiver.answer = ({ headers }) => {
    began.push(`hook ${headers["webhook-event"]}`);
    return { status: 200 };
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= service.close({ graceMs: 100 });
    return closed;
  };
  onTestFinished(close);
  await service.start();
  return { service, began, receiver, close, order: async () => void (await service.asSystem().of(orders).create({ total: 5 })) };
}

/** Registers a webhook for all events. */
export async function registerHook({ service }: Pick<Process, "service">): Promise<void> {
  const { status } = await clientOf(service)({ method: "POST", target: "/webhooks", body: { url: "https://example.test/hook", events: ["*"] } });
  if (status !== 201) throw new Error(`The registration was answered with ${status}.`);
}

function submitting(run: JobHandler["run"]): Capability<Submitting> {
  return {
    name: "submitting",
    requires: ["jobs"],
    open({ environment }) {
      const settings = jobsOf(environment);
      settings?.handle({ type: "work", run });
      return {
        api: {
          async submit(id) {
            if (settings !== undefined) await submitJob(settings, { id, type: "work", tenant: undefined, owner: "ada", input: {} });
          },
        },
      };
    },
  };
}
