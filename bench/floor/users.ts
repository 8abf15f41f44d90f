import { randomUUID } from "node:crypto";
import { createUsers } from "./batch.js";
import { readCursor } from "./cursor.js";
import { listBody } from "./list.js";
import { mergePatch } from "./mergePatch.js";
import { invalid, Problem } from "./problem.js";
import { userInputSchema, userQuerySchema } from "./schema.js";
import { showUser } from "./showUser.js";
import type { User, UserStore } from "./user.js";

/** What a framework has to send: `value` as JSON, or nothing. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value?: unknown;
}

/** The conditions of a request. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The work behind the routes, the same under every framework. */
export class Users {
  readonly #store: UserStore;
  readonly #key: Buffer;

  /** @param key What cursors are signed with. */
  constructor(store: UserStore, key: Buffer) {
    this.#store = store;
    this.#key = key;
  }

  async read(id: string, { ifNoneMatch }: Conditions): Promise<Answer> {
    const user = await this.#find(id);
    const headers = validators(user);
    return matches(ifNoneMatch, headers.etag) ? { status: 304, headers } : { status: 200, headers, value: showUser(user) };
  }

  /** @param url The request target, for the links. */
  async list(query: unknown, url: string): Promise<Answer> {
    const parsed = userQuerySchema.safeParse(query);
    if (!parsed.success) throw invalid(400, "INVALID_VALUE", parsed.error);
    const { status, name, sort, fields, page = 1, perPage, cursor } = parsed.data;
    const place = cursor === undefined ? undefined : readCursor(cursor, parsed.data, this.#key);
    if (cursor !== undefined && place === undefined) throw new Problem(400, "INVALID_CURSOR", "The cursor is not one of this list.");
    // One row more than a page tells whether there is a next one.
    const found = await this.#store.list({ status, name, sort, fields, limit: perPage + 1, start: place ?? (page - 1) * perPage });
    const value = listBody(parsed.data, place, found, this.#key, url);
    const { meta, links } = value;
    const link = Object.entries(links).map(([relation, target]) => `<${target}>; rel="${relation}"`);
    const total: Record<string, string> = meta.totalRelation === "eq" ? { "x-total-count": String(meta.total) } : {};
    return { status: 200, headers: { link: link.join(", "), ...total, "cache-control": "no-cache" }, value };
  }

  async create(body: unknown): Promise<Answer> {
    const parsed = userInputSchema.safeParse(body);
    if (!parsed.success) throw invalid(422, "VALIDATION_FAILED", parsed.error);
    const now = new Date();
    const user = await this.#store.insert({ ...parsed.data, createdAt: now, updatedAt: now, version: randomUUID() });
    if (user === undefined) throw new Problem(422, "DUPLICATE_EMAIL", `The value of "email" is taken.`);
    return { status: 201, headers: { location: `/users/${user.id}`, ...validators(user) }, value: showUser(user) };
  }

  createMany(body: unknown, requestId: string): Promise<Answer> {
    return createUsers(this.#store, body, requestId);
  }

  async update(id: string, patch: unknown, { ifMatch }: Conditions): Promise<Answer> {
    if (typeof patch !== "object" || patch === null || Array.isArray(patch))
      throw new Problem(422, "VALIDATION_FAILED", "The body must be an object.");
    const { id: key, createdAt, updatedAt: _before, version, ...input } = await this.#find(id);
    if (ifMatch !== undefined && !matches(ifMatch, `"${version}"`)) throw stale();
    const parsed = userInputSchema.safeParse(mergePatch(input, patch));
    if (!parsed.success) throw invalid(422, "VALIDATION_FAILED", parsed.error);
    const changed: User = { ...parsed.data, id: key, createdAt, updatedAt: new Date(), version: randomUUID() };
    const outcome = await this.#store.update(changed, version);
    if (outcome === "stale") throw ifMatch === undefined ? new Problem(409, "WRITE_CONFLICT", "The user changed meanwhile; try again.") : stale();
    if (outcome === "taken") throw new Problem(422, "DUPLICATE_EMAIL", `The value of "email" is taken.`);
    return { status: 200, headers: validators(changed), value: showUser(changed) };
  }

  async #find(id: string): Promise<User> {
    const user = /^[1-9]\d{0,15}$/.test(id) ? await this.#store.get(Number(id)) : undefined;
    if (user === undefined) throw new Problem(404, "NOT_FOUND", `There is no "${id.slice(0, 64)}" in "users".`);
    return user;
  }
}

const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's request id where it is fit to be echoed, else a new one. */
export function requestId(sent: string | undefined): string {
  return sent !== undefined && acceptableId.test(sent) ? sent : randomUUID();
}

function validators({ version, updatedAt }: User): { etag: string; "last-modified": string; "cache-control": string } {
  return { etag: `"${version}"`, "last-modified": updatedAt.toUTCString(), "cache-control": "no-cache" };
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition === "*" || condition === etag || condition.split(",").some((tag) => tag.trim() === etag);
}

function stale(): Problem {
  return new Problem(412, "PRECONDITION_FAILED", "The user is not in the state that the request asks for.");
}
