import { createHash } from "node:crypto";
import { environmentIn } from "../../../../engine/operation/answers/apiVersion.js";
import type { Context } from "../../../../engine/operation/context.js";
import { type HiddenRows, hiddenRows } from "../../../../engine/operation/rules/hiddenRows.js";
import { readableFields } from "../../../../engine/resource/read/readableFields.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import type { JobEntry } from "../../../../ground/storage/queue/jobs.js";
import type { RowIds } from "../../../../parts/idempotency/storedResponse.js";
import type { ShownEntries } from "../../../jobs/kind.js";
import type { BatchPlan } from "../../plan/plan.js";
import type { IndexedResult } from "./result.js";
import type { StoredResult } from "./storedResult.js";

/** What a stored result shows, so that the rights of each reader can be evaluated when it is read. */
export interface ResultRights {
  /** The rows of collections with a scope. */
  readonly rows?: RowIds | undefined;
  /** The fields of its collections that the principal of the job could read when it was stored, as `users.salary`. */
  readonly readable?: readonly string[] | undefined;
  /** The version of the API whose fields these are. */
  readonly version?: string | undefined;
}

/** The collections of a service as a version of the API shows them, by their names. */
export type Resources = ReadonlyMap<string, { readonly resource: Resource }>;

/**
 * Makes a plan note with each stored result what it shows.
 *
 * @param context of the principal whose rights the results have
 * @param resources the collections that the results may show: one, or those of operations of all kinds
 */
export async function notingRights(context: Context, resources: Resources, plan: BatchPlan): Promise<BatchPlan> {
  if (plan.hasNoData) return plan;
  const { environment, scopes } = context;
  const version = environment.version?.name;
  const readable = new Map<string, readonly string[]>();
  for (const [name, { resource }] of resources) readable.set(name, await readableFields(resource, context));
  const rightsOf = (result: StoredResult): ResultRights => {
    const collections = plan.collectionsOf?.(result.index) ?? [...resources.keys()];
    const fields = collections.flatMap((name) => readable.get(name) ?? []);
    const rows = result.rights?.rows ?? collections.filter((name) => scopes?.has(name)).map((name) => [name, [idOf(result)]] as const);
    return { ...(rows.length > 0 && { rows }), ...(fields.length > 0 && { readable: fields }), ...(version !== undefined && { version }) };
  };
  return {
    ...plan,
    keep(result: StoredResult): StoredResult {
      const { rights: _, ...kept }: StoredResult = plan.keep(result);
      if (kept.data === undefined) return kept;
      const rights = rightsOf({ ...kept, rights: result.rights });
      return rights.rows === undefined && rights.readable === undefined ? kept : { ...kept, rights };
    },
  };
}

function idOf({ id }: IndexedResult): string | number {
  return typeof id === "number" ? id : String(id);
}

/**
 * The results of a job as a principal may see them now: a result that shows a row or a field that it may not read any more has neither `data` nor a tag, as that of a row which it
 * may not read after the write.
 */
export async function shownResults(
  entries: readonly JobEntry[],
  context: Context,
  resourcesIn: (version: string | undefined) => Resources,
): Promise<ShownEntries> {
  const results = entries.map(({ value }) => value as StoredResult);
  const hidden = await hiddenOf(context, results);
  const fields = new ReadableNow(context, resourcesIn);
  const left: number[] = [];
  const shown: JobEntry[] = [];
  for (const [index, { position }] of entries.entries()) {
    const { rights, ...result } = results[index] as StoredResult;
    const isShown = rights === undefined || (!showsHidden(rights, hidden) && (await fields.include(rights)));
    if (!isShown) left.push(position);
    shown.push({ position, value: isShown ? result : withoutRow(result) });
  }
  return { entries: shown, mark: left.length === 0 ? undefined : createHash("sha256").update(left.join()).digest("base64url").slice(0, 16) };
}

type HiddenByCollection = ReadonlyMap<string, HiddenRows>;

async function hiddenOf(context: Context, results: readonly StoredResult[]): Promise<HiddenByCollection> {
  const ids = new Map<string, Set<string | number>>();
  for (const { rights } of results) {
    for (const [collection, shown] of rights?.rows ?? []) {
      const known = ids.get(collection) ?? new Set();
      for (const id of shown) known.add(id);
      ids.set(collection, known);
    }
  }
  const hidden = new Map<string, HiddenRows>();
  for (const [collection, shown] of ids) hidden.set(collection, await hiddenRows(context, collection, [...shown]));
  return hidden;
}

function showsHidden({ rows = [] }: ResultRights, hidden: HiddenByCollection): boolean {
  return rows.some(([collection, ids]) => {
    const among = hidden.get(collection);
    return among === "all" || ids.some((id) => among?.has(String(id)) === true);
  });
}

/** The fields that a principal may read now. Most results of a job show the same fields. */
class ReadableNow {
  readonly #context: Context;
  readonly #resourcesIn: (version: string | undefined) => Resources;
  readonly #known = new Map<string, ReadonlySet<string>>();

  constructor(context: Context, resourcesIn: (version: string | undefined) => Resources) {
    this.#context = context;
    this.#resourcesIn = resourcesIn;
  }

  /** Whether all of these can be read. */
  async include({ readable = [], version }: ResultRights): Promise<boolean> {
    for (const field of readable) {
      const collection = field.slice(0, field.indexOf("."));
      const known = this.#known.get(`${version} ${collection}`) ?? (await this.#ask(collection, version));
      if (!known.has(field)) return false;
    }
    return true;
  }

  async #ask(collection: string, version: string | undefined): Promise<ReadonlySet<string>> {
    const { environment, principal } = this.#context;
    const found = this.#resourcesIn(version).get(collection);
    const reader = { environment: environmentIn(environment, version), principal };
    const fields = new Set(found === undefined ? [] : await readableFields(found.resource, reader));
    this.#known.set(`${version} ${collection}`, fields);
    return fields;
  }
}

function withoutRow({ data: _, hiddenData: __, etag: ___, headers, ...result }: StoredResult): StoredResult {
  const location = headers?.["location"];
  return location === undefined ? result : { ...result, headers: { location } };
}
