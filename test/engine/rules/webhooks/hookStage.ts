import { setTimeout as sleep } from "node:timers/promises";
import {
  belongsTo,
  createService,
  defineResource,
  type Principal,
  type ScopeAnswer,
  type ScopeQuestion,
  type ServiceOptions,
  type Storage,
  within,
} from "restwright";
import { bearer } from "restwright/auth";
import { jobs } from "restwright/jobs";
import { type WebhookOptions, webhooks } from "restwright/webhooks";
import { z } from "zod";
import { Receiver } from "../../../capabilities/webhooks/emissionStage.js";
import { clientOf, type Received } from "../../../tools/client.js";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";

/** A value of a row that no event contains. */
export const canary = "canary-7f3a";

const notesSchema = z.object({
  id: z.int(),
  text: z.string(),
  ownerId: z.string(),
  secret: z.string().default(canary),
  due: z.coerce.date().nullable().default(null),
  size: z.bigint().nullable().default(null),
});

type Rule = (question: ScopeQuestion) => ScopeAnswer<z.output<typeof notesSchema>> | Promise<ScopeAnswer<z.output<typeof notesSchema>>>;

export interface HookOptions extends Partial<Pick<ServiceOptions, "principals">> {
  readonly webhooks?: Partial<WebhookOptions>;
}

/** The rights of each person; everyone has a token of the same name. */
export type People = Record<string, Principal>;

/** A service of notes, which have an owner, and of boards and cards, whose scope is that of their board. The clock can be moved. */
export class HookStage {
  readonly receiver = new Receiver();
  readonly people: People = { ann: { id: "ann" }, bob: { id: "bob" }, root: { id: "root", claims: { role: "admin" } } };
  readonly asked: ScopeQuestion[] = [];
  readonly logged: { readonly level: string; readonly message: string; readonly facts: object }[] = [];
  readonly storage: Storage;
  readonly service;
  /** What the clock of the service is ahead, in milliseconds. */
  aheadMs = 0;
  rule: Rule = ({ principal }) => principal.claims?.["role"] === "admin" || { ownerId: principal.id };
  readonly #send: ReturnType<typeof clientOf>;

  constructor(storage: Storage, { webhooks: change, ...options }: HookOptions = {}) {
    this.storage = storage;
    const log = (level: string) => (facts: object, message: string) => void this.logged.push({ level, message, facts });
    this.service = createService({
      principals: { reload: false },
      ...options,
      resources: this.#resources(),
      storage,
      use: [
        jobs({ pollMs: 20 }),
        webhooks({
          transport: this.receiver,
          events: ["report.ready"],
          pollMs: 20,
          scheduleMs: [0, 1, 1],
          isAdmin: ({ id }) => id === "root",
          ...change,
        }),
      ],
      auth: [bearer((token) => this.people[token])],
      secrets: ["a secret of the service itself"],
      clock: { now: () => Date.now() + this.aheadMs },
      logger: { error: log("error"), warn: log("warn"), info: () => {}, debug: () => {} },
    });
    this.#send = clientOf(this.service);
  }

  /** Sends a request as a person. */
  as(who: string, method: string, target: string, body?: unknown): Promise<Received> {
    const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    return this.#send({ method, target, body, headers: { authorization: `Bearer ${who}`, ...type } });
  }

  /** Registers a webhook. @returns its id */
  async listen(who: string, body: object = {}): Promise<string> {
    const answer = await this.as(who, "POST", "/webhooks", { url: `https://example.test/${who}`, events: ["note.*"], ...body });
    if (answer.status !== 201) throw new Error(`The registration was answered ${answer.status}: ${answer.text}`);
    return answer.json.id;
  }

  /** Creates a row. @returns its id */
  async create(who: string, target: string, body: object): Promise<number> {
    const answer = await this.as(who, "POST", target, body);
    if (answer.status !== 201) throw new Error(`The row was answered ${answer.status}: ${answer.text}`);
    return answer.json.id;
  }

  /** What a person was sent: types and texts, sorted, as deliveries may overtake each other. */
  heard(who: string): readonly string[] {
    return this.receiver.received
      .filter(({ url }) => url.href.endsWith(`/${who}`))
      .map(({ body }) => {
        const { type, data } = JSON.parse(Buffer.from(body).toString());
        return `${type} ${data.text ?? data.id}`;
      })
      .sort();
  }

  /** The log of a webhook, the oldest delivery first. */
  async log(who: string, webhook: string) {
    return (await this.as(who, "GET", `/webhooks/${webhook}/deliveries?perPage=50`)).json.data.toReversed();
  }

  /** Waits until nothing is pending. */
  async settle(): Promise<void> {
    await until(async () => (await this.storage.deliveries?.dueInMs(100)) === undefined);
  }

  messages(level: string): readonly string[] {
    return this.logged.filter((entry) => entry.level === level).map(({ message }) => message);
  }

  #resources() {
    const data = ({ id, text }: { id: number; text: string }) => ({ id, text });
    const notes = defineResource("notes", {
      schema: notesSchema,
      generated: { id: "increment" },
      scope: (question) => {
        this.asked.push(question);
        return this.rule(question);
      },
      events: {
        "note.created": { on: "create", data },
        "note.changed": { on: "update", data },
        "note.removed": { on: "remove", data },
      },
    });
    const open = defineResource("open", {
      schema: z.object({ id: z.int(), text: z.string() }),
      generated: { id: "increment" },
      events: { "open.created": { on: "create", data } },
    });
    const boards = defineResource("boards", {
      schema: z.object({ id: z.int(), ownerId: z.string() }),
      generated: { id: "increment" },
      scope: ({ principal }) => principal.id === "root" || { ownerId: principal.id },
    });
    const cards = defineResource("cards", {
      schema: z.object({ id: z.int(), text: z.string(), boardId: z.int() }),
      generated: { id: "increment" },
      relations: { board: belongsTo("boards", "boardId") },
      scope: () => within("board"),
      events: { "card.created": { on: "create", data } },
    });
    return [notes, open, boards, cards];
  }
}

/** Waits until something is true. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 30_000;
  while (!(await isTrue())) {
    if (Date.now() > endMs) throw new Error("It did not become true.");
    await sleep(5);
  }
}

type Run = (stage: HookStage) => Promise<void>;

/** The same tests on memory, SQLite and PostgreSQL, each with a service of its own. */
export function describeHooks(title: string, tests: (on: (run: Run, options?: HookOptions) => () => Promise<void>) => void): void {
  const chosen = ({ name }: { readonly name: string }) => ["memory", "SQLite", "PostgreSQL (set POSTGRES_URL to run)"].includes(name);
  const runner = (open: () => Promise<OpenedStore>) => (run: Run, options?: HookOptions) => async () => {
    const { storage, end } = await open();
    const stage = new HookStage(storage, options);
    try {
      await run(stage);
    } finally {
      await stage.service.close({ graceMs: 1_000 });
      await end();
    }
  };
  describeStores(title, ({ open }) => tests(runner(open)), chosen);
}
