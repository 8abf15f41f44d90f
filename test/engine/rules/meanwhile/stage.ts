import {
  belongsTo,
  createService,
  defineResource,
  type Logger,
  type Principal,
  type ScopeQuestion,
  type ServiceOptions,
  type Storage,
  within,
} from "restwright";
import { actions } from "restwright/actions";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { z } from "zod";
import { endedJob, jobOf, type ShownJob } from "../../../capabilities/batch/batchJobStage.js";
import { type HeardEvent, parseEvents } from "../../../capabilities/jobs/parseEvents.js";
import { clientOf, type Received, requestOf } from "../../../tools/client.js";

/** `admin` may use all rows, `member` its own, `recent` those since a moving date, `outsider` none. */
export type Role = "admin" | "member" | "recent" | "outsider";

/** Sends a request as a person. */
export type SendAs = (who: string, method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Received>;

/** A process that serves the notes. */
export interface Process {
  readonly as: SendAs;
  /** The events of a job, as it is read. */
  events(who: string, target: string): AsyncGenerator<HeardEvent, void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Notes and sheets whose readers change while a test runs. */
export class RightsStage {
  /** Today's roles. Somebody without one does not exist any more. */
  readonly roles = new Map<string, Role>([["root", "admin"]]);
  /** Who may do nothing in any collection, by `authorize`. */
  readonly refused = new Set<string>();
  /** Who may use no row, by the scope, whatever the role. */
  readonly locked = new Set<string>();
  /** Who may not read the field `rating`. */
  readonly unrated = new Set<string>();
  readonly scopes: ScopeQuestion[] = [];
  readonly reloaded: string[] = [];
  readonly log: string[] = [];
  /** Called with each question to the scope of notes. */
  onScope: (question: ScopeQuestion) => void = () => {};
  /** What the scope of notes waits for; asked with each question. */
  waitsAt: ((question: ScopeQuestion) => Promise<void>) | undefined;
  /** The answer of `principals.reload`. */
  reload: (principal: Principal) => Principal | undefined = ({ id }) => this.principal(id);
  readonly #storage: Storage;
  readonly #blobs = memoryBlobs();
  readonly #open = new Set<Process>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  principal(id: string): Principal | undefined {
    const role = this.roles.get(id);
    return role === undefined ? undefined : { id, claims: { role } };
  }

  /** Whether the storage can follow `within`. */
  get hasParents(): boolean {
    return this.#storage.collection(this.#notes().model).can.ops.includes("related");
  }

  /** @param work whether the process runs jobs */
  process(work: boolean, options: Partial<ServiceOptions> = {}): Process {
    const { refused, log, reloaded } = this;
    const line = (_: unknown, message: string) => void log.push(message);
    const logger: Logger = { error: line, warn: line, info() {}, debug() {} };
    const reload = (principal: Principal) => {
      reloaded.push(principal.id);
      return this.reload(principal);
    };
    const notes = this.#notes();
    const service = createService({
      resources: this.hasParents ? [notes, this.#sheets()] : [notes],
      storage: openFor(this.#storage),
      use: [jobs({ work, pollMs: 20, isAdmin: ({ id }) => id === "root" }), batch(), actions(), transfer({ blobs: this.#blobs })],
      auth: [bearer((token) => this.principal(token))],
      authorize: ({ principal }) => !refused.has(principal.id),
      principals: { reload },
      logger,
      ...options,
    });
    const send = clientOf(service);
    const as: SendAs = (who, method, target, body, headers = {}) =>
      send({ method, target, body, headers: { authorization: `Bearer ${who}`, ...headers } });
    const events: Process["events"] = async function* (who, target) {
      const headers = { authorization: `Bearer ${who}`, accept: "text/event-stream" };
      const { body } = (await service.handle(requestOf({ target, headers }))) ?? { body: null };
      let text = "";
      for await (const piece of body as AsyncIterable<string | Uint8Array>) {
        const before = parseEvents(text).events.length;
        text += String(piece);
        yield* parseEvents(text).events.slice(before);
      }
    };
    const process: Process = { as, events, start: () => service.start(), close: () => service.close({ graceMs: 1_000 }) };
    this.#open.add(process);
    return process;
  }

  /** The job of an answer as it ended, as root sees it. */
  ended({ as }: Process, accepted: Received): Promise<ShownJob> {
    return endedJob(({ target }) => as("root", "GET", target), jobOf(accepted));
  }

  /** Creates notes; returns their ids. */
  async seed({ as }: Process, owner: string, count: number): Promise<readonly number[]> {
    const items = Array.from({ length: count }, (_, index) => ({ text: `${owner} ${index}`, owner }));
    const ids: number[] = [];
    for (let start = 0; start < count; start += 1_000) {
      const answer = await as("root", "POST", "/notes/batch", { items: items.slice(start, start + 1_000) });
      if (answer.status !== 200) throw new Error(answer.text);
      ids.push(...answer.json.results.map(({ id }: { id: number }) => id));
    }
    return ids;
  }

  /** How many notes have a text. */
  async count({ as }: Process, text: string): Promise<number> {
    return (await as("root", "GET", `/notes?text=${text}&perPage=1&count=exact`)).json.meta.total;
  }

  async close(): Promise<void> {
    for (const process of this.#open) await process.close();
  }

  #notes() {
    const { scopes, locked, unrated } = this;
    return defineResource("notes", {
      schema: z.object({ id: z.int(), text: z.string(), owner: z.string(), rating: z.int().default(3), madeAt: z.date() }),
      generated: { id: "increment", madeAt: "createdAt" },
      actions: ({ action }) => ({ change: action({ on: "row", batch: true, run: () => ({ text: "changed" }) }) }),
      access: { rating: { read: ({ id }) => !unrated.has(id) } },
      scope: (question) => {
        scopes.push(question);
        this.onScope(question);
        const answer = () => {
          const { id, claims } = question.principal;
          if (locked.has(id)) return false;
          const role = claims?.["role"];
          if (role === "recent")
            return { madeAt: { gte: new Date(Date.now() - 3_600_000) }, owner: { in: ["bob", id].sort(() => Math.random() - 0.5) } };
          return role === "admin" || (role === "member" && { owner: id });
        };
        return this.waitsAt === undefined ? answer() : this.waitsAt(question).then(answer);
      },
    });
  }

  #sheets() {
    return defineResource("sheets", {
      schema: z.object({ id: z.int(), noteId: z.int() }),
      generated: { id: "increment" },
      relations: { note: belongsTo("notes", "noteId") },
      scope: () => within("note"),
    });
  }
}

/** The storage for one of several processes: the test ends it itself. */
function openFor(storage: Storage): Storage {
  return new Proxy(storage, { get: (target, name) => (name === "close" ? undefined : bound(target, name)) });
}

function bound(target: Storage, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}
