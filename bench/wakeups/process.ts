import { type Capability, createService, defineResource } from "restwright";
import { jobs, jobsOf } from "restwright/jobs";
import { postgresStorage } from "restwright/postgres";
import { subscribers } from "restwright/subscribers";
import { type Transport, webhooks } from "restwright/webhooks";
import { z } from "zod";
import { compileNetwork } from "../../src/capabilities/webhooks/delivery/network.js";

/** What a process is started with. */
export interface ProcessRole {
  readonly url: string;
  readonly works: boolean;
  readonly wakes: boolean;
}

/** What a process is asked for. */
export type Question =
  | { readonly kind: "job" | "delivery" | "subscriber"; readonly id: number }
  | { readonly kind: "write"; readonly writers: number; readonly ms: number }
  | { readonly kind: "cpu" };

/** What a process tells: that work began, or a figure. */
export type Told = { readonly began: string; readonly atMs: number } | { readonly figure: number } | { readonly ready: true };

const nowMs = () => performance.timeOrigin + performance.now();
const tell = (told: Told) => void process.send?.(told);

const role = JSON.parse(process.argv[2] ?? "") as ProcessRole;

const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.number() }),
  generated: { id: "increment" },
  events: { "order.created": { on: "create", data: ({ id, total }) => ({ orderId: id, total }) } },
});

const transport: Transport = {
  network: compileNetwork({}),
  maxAttemptMs: 32_000,
  async send({ body }) {
    const { type, data } = JSON.parse(Buffer.from(body).toString());
    if (type === "report.ready") tell({ began: `delivery ${data.id}`, atMs: nowMs() });
    return { status: 200, latencyMs: 1, bodyHead: new Uint8Array(0), truncated: false };
  },
  close: async () => {},
};

let create: (id: number) => Promise<unknown> = async () => {};
const work: Capability = {
  name: "work",
  requires: ["jobs"],
  open({ environment }) {
    const settings = jobsOf(environment);
    settings?.handle({
      type: "work",
      async run({ id }) {
        tell({ began: `job ${id}`, atMs: nowMs() });
        return { status: "completed" };
      },
    });
    create = async (id) => {
      await settings?.store.create({ id: String(id), type: "work", tenant: undefined, owner: "ada", input: {} });
      settings?.wake();
    };
    return {};
  },
};
const service = createService({
  resources: [orders],
  storage: postgresStorage({ connectionString: role.url }),
  secrets: ["a secret of the service itself"],
  wakeups: role.wakes ? undefined : false,
  use: [
    jobs({ work: role.works }),
    work,
    webhooks({ transport, events: ["report.ready", "report.sent"], work: role.works }),
    subscribers({ events: ["report.ready", "report.sent"], work: role.works }),
  ],
});
service.on("report.sent", { name: "reports" }, async ({ data }) => tell({ began: `subscriber ${String(data["id"])}`, atMs: nowMs() }));
service.on("order.created", { name: "orders" }, async () => {});

async function answer(question: Question): Promise<Told> {
  switch (question.kind) {
    case "job":
      return enqueued(() => create(question.id));
    case "delivery":
      return enqueued(() => service.emit({ type: "report.ready", data: { id: question.id } }));
    case "subscriber":
      return enqueued(() => service.emit({ type: "report.sent", data: { id: question.id } }));
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { figure: (user + system) / 1_000 };
    }
    case "write":
      return { figure: await written(question.writers, question.ms) };
  }
}

/** The instant after a commit, from which the way of a wake-up begins. */
async function enqueued(run: () => Promise<unknown>): Promise<Told> {
  const startedMs = nowMs();
  await run();
  return { figure: startedMs };
}

async function written(writers: number, ms: number): Promise<number> {
  const endMs = nowMs() + ms;
  let count = 0;
  const write = async () => {
    while (nowMs() < endMs) {
      await service.asSystem().of(orders).create({ total: 5 });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (count * 1_000) / ms;
}

await service.start();
if (role.works) {
  const body = JSON.stringify({ url: "https://example.test/hook", events: ["report.ready"] });
  const headers = { "content-type": "application/json" };
  const { status } = await service.fetch(new Request("http://localhost/webhooks", { method: "POST", headers, body }));
  if (status !== 201) throw new Error(`The registration was answered with ${status}.`);
}
process.on("message", async (question: Question) => tell(await answer(question)));
process.on("disconnect", () => void service.close({ graceMs: 0 }).then(() => process.exit(0)));
tell({ ready: true });
