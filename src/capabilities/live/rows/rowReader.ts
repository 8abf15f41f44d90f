import type { Context } from "../../../engine/operation/context.js";
import { permit } from "../../../engine/operation/permit.js";
import { renewPrincipal } from "../../../engine/operation/principals.js";
import { AllowedRows } from "../../../engine/operation/rules/allowedRows.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { loadInclude } from "../../../engine/resource/relations/onDemand.js";
import { resolveRelations } from "../../../engine/resource/relations/relatedFilter.js";
import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Selection } from "../../../language/fields/selection.js";
import type { View, ViewKind } from "../../../language/fields/view.js";
import { type FilterTree, isPlain } from "../../../language/query/grammar/tree.js";
import type { LiveChange, ShownId, ShownRow } from "../change.js";
import type { RowDelta } from "../feed/deltas.js";

/** Which rows of a collection a reader follows, and what it sees of them. */
export interface AskedRows {
  readonly filter: FilterTree | undefined;
  readonly selection: Selection;
  readonly kind: ViewKind;
  readonly action: "list" | "read";
  /** Below parents: requires that the caller may still read them. @throws {ProblemError} NOT_FOUND, FORBIDDEN */
  readonly enter?: ((context: Context) => Promise<Context>) | undefined;
}

/** How long rights hold before they are asked again, in milliseconds. */
const renewEveryMs = 60_000;

/** What a reader may see now. */
interface Rights {
  readonly context: Context;
  readonly scope: AllowedRows | undefined;
  readonly view: View;
  /** Another text means that rows or fields have come into sight, or have left it. */
  readonly fingerprint: string;
}

/**
 * Judges the changes of rows for one principal: whether each row was in its list before, and whether it is in it now. The rules are those of a list: the scope, the filter and the fields that it
 * may read, asked again every minute.
 */
export class RowReader {
  readonly linked: LinkedResource;
  readonly #asked: AskedRows;
  readonly #storage: Storage;
  #rights: Rights;
  #askedMs: number;

  private constructor(linked: LinkedResource, asked: AskedRows, storage: Storage, rights: Rights) {
    this.linked = linked;
    this.#asked = asked;
    this.#storage = storage;
    this.#rights = rights;
    this.#askedMs = rights.context.environment.clock.now();
  }

  /** @throws {ConfigurationError} for an unusable answer of the scope; what the scope throws */
  static async open(linked: LinkedResource, context: Context, asked: AskedRows, storage: Storage): Promise<RowReader> {
    return new RowReader(linked, asked, storage, await rightsOf(linked, context, asked));
  }

  get tenant(): string | undefined {
    return this.#rights.context.principal.tenant;
  }

  /**
   * Asks for the rights again, if a minute has passed.
   *
   * @returns whether they have changed, so that what the client has may be wrong
   * @throws {ProblemError} FORBIDDEN if the principal may not read the collection any more
   */
  async renew(): Promise<boolean> {
    const { context, fingerprint } = this.#rights;
    const { environment, authRequest, isSystem } = context;
    const nowMs = environment.clock.now();
    if (isSystem || Math.abs(nowMs - this.#askedMs) < renewEveryMs) return false;
    this.#askedMs = nowMs;
    const principal = await renewPrincipal(environment, context.principal);
    const { name: collection } = this.linked;
    const allowed = await permit(environment, { principal, authRequest, action: this.#asked.action, collection });
    const renewed = { ...context, principal, permit: allowed, scopes: environment.scopesOf(principal) };
    await this.#asked.enter?.(renewed);
    this.#rights = await rightsOf(this.linked, renewed, this.#asked);
    return this.#rights.fingerprint !== fingerprint;
  }

  /** What the changes are for this reader. */
  async judge(deltas: readonly RowDelta[]): Promise<readonly LiveChange[]> {
    const rows = deltas.flatMap(({ befores, after }) => (after === undefined ? befores : [...befores, after]));
    const seen = await this.#seen(rows);
    const changes: LiveChange[] = [];
    for (const delta of deltas) {
      const change = await this.#changeOf(delta, seen);
      if (change !== undefined) changes.push(change);
      if (turnIsOver()) await yieldToEventLoop();
    }
    return changes;
  }

  async #changeOf({ id, befores, after, isNew, isKnown }: RowDelta, seen: ReadonlySet<Row>): Promise<LiveChange | undefined> {
    const shownId = this.#idOf(id, after ?? befores[0]);
    const before = befores.filter((row) => seen.has(row));
    if (after === undefined || !seen.has(after)) {
      const last = before.at(-1);
      if (last === undefined) return undefined;
      return after === undefined ? { kind: "removed", id: shownId, version: String(last._version) } : { kind: "left", id: shownId };
    }
    if (isKnown) return undefined;
    const isSame = before.length === befores.length && !isNew && before.every((row) => this.#text(row) === this.#text(after));
    if (isSame) return undefined;
    const kind = isNew && before.length === 0 ? "created" : "changed";
    return { kind, id: shownId, version: String(after._version), row: await this.#show(after) };
  }

  #idOf(id: Id, row: Row | undefined): ShownId {
    const { idParts } = this.linked.resource.model;
    const shown = (value: unknown) => (typeof value === "bigint" ? String(value) : (value as string | number));
    return idParts === undefined || row === undefined ? shown(id) : idParts.map((name) => shown(row[name]));
  }

  /** Those of the rows that are in the list. */
  async #seen(rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    const { context, scope } = this.#rights;
    const { principal } = context;
    const at = { storage: this.#storage };
    const call = { tenant: principal.tenant };
    const filter = await resolveRelations(this.linked, context, this.#asked.filter);
    const matching = filter === undefined ? rows : [...(await new AllowedRows(filter, this.linked.resource.model).includedOf(rows, at, call))];
    return scope === undefined ? new Set(matching) : scope.includedOf(matching, at, call);
  }

  /** The text of what is shown of a row, without related ones. */
  #text(row: Row): string {
    return textOf(shownBy(this.#rights.view, row));
  }

  async #show(row: Row): Promise<ShownRow> {
    const { context, view } = this.#rights;
    const { relations } = this.#asked.selection;
    if (relations.size === 0) return shownBy(view, row);
    const shown = view.select(row);
    await (await loadInclude()).includeRelations(this.linked, context, [row], [shown], relations);
    return shown;
  }
}

async function rightsOf(linked: LinkedResource, context: Context, { selection, kind, filter }: AskedRows): Promise<Rights> {
  const { scopes, principal, permit: allowed } = context;
  const scope = scopes?.has(linked.name) === true ? await scopes.ask(linked.name, "read", "before") : undefined;
  const view = linked.views.chosen(selection, kind, principal, allowed.fields);
  // A filter on related rows is resolved with each page, with the rights of its time.
  const parts = [scope?.filter, [...view.names], allowed.fields, filter !== undefined && !isPlain(filter)];
  return { context, scope, view, fingerprint: JSON.stringify(parts, (_, value) => (typeof value === "bigint" ? String(value) : value)) };
}

/** What views show of rows: streams with the same view share it, and its text. */
const shown = new WeakMap<Row, Map<View, ShownRow>>();
const texts = new WeakMap<ShownRow, string>();

function shownBy(view: View, row: Row): ShownRow {
  const views = shown.get(row) ?? new Map<View, ShownRow>();
  shown.set(row, views);
  const known = views.get(view) ?? view.select(row);
  views.set(view, known);
  return known;
}

/** The JSON of members with a row, or without one. */
export function jsonOf({ row, ...members }: { readonly id: ShownId; readonly row?: ShownRow }): string {
  const json = JSON.stringify(members);
  return row === undefined ? json : `${json.slice(0, -1)},"row":${textOf(row)}}`;
}

function textOf(row: ShownRow): string {
  const text = texts.get(row) ?? JSON.stringify(row);
  texts.set(row, text);
  return text;
}

/** The filter for one row. */
export function onlyRow({ resource: { model } }: LinkedResource, id: Id): FilterTree {
  return { op: "eq", path: [model.id], value: id };
}
