import type { Environment } from "../../engine/operation/environment.js";
import type { EventRow } from "../../engine/operation/write/rowEvents.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";
import { joinId } from "../../ground/storage/compositeId.js";
import type { CollectionModel, Column } from "../../ground/storage/model.js";
import type { StoredEvent } from "../../ground/storage/queue/deliveries.js";

/** Who may get an event: whoever may read a row, `anyone`, or `nobody` if the row is not known. */
export type Subject = { readonly collection: string; readonly row: Row } | "anyone" | "nobody";

/** The stored form of `anyone`. Without it an event of a type with a scope is not sent: its row was not stored, or got lost. */
const anyone = "*";

/**
 * The rows that are stored with events, because the scopes of webhooks are judged with them when the events are sent. Events of collections without a scope have none.
 */
export class Subjects {
  readonly #models: Environment["models"];
  readonly #scoped: ReadonlySet<string>;
  readonly #types: ReadonlySet<string>;

  /** @param sources the event types of each collection */
  constructor({ rules, models }: Pick<Environment, "rules" | "models">, sources: Iterable<readonly [collection: string, types: Iterable<string>]>) {
    this.#models = models;
    this.#scoped = new Set([...(rules ?? [])].flatMap(([name, { scope }]) => (scope === undefined ? [] : [name])));
    this.#types = new Set([...sources].flatMap(([name, types]) => (this.#scoped.has(name) ? [...types] : [])));
  }

  /**
   * The text to store with an event; `undefined` if nothing has to be stored.
   *
   * @param about the row that the event is about, if any
   * @returns a function, because most events have no webhook and are not stored
   */
  of(type: string, about: EventRow | undefined): (() => string) | undefined {
    if (about === undefined || !this.#scoped.has(about.collection)) return this.#types.has(type) ? () => anyone : undefined;
    const { collection, row } = about;
    const model = this.#models.get(collection);
    if (model === undefined) throw new ConfigurationError(`There is no collection "${collection}".`);
    return () => JSON.stringify({ collection, row: toJson(model, row) });
  }

  /** @throws {ConfigurationError} for a row that a developer gave and that cannot be one of its collection */
  check({ collection, row }: EventRow): void {
    const model = this.#models.get(collection);
    if (model === undefined) throw new ConfigurationError(`emit: "of.collection" names "${collection}", which is not a collection of the service.`);
    const { idParts = [model.id] } = model;
    if (idParts.some((name) => (row[name] ?? undefined) === undefined))
      throw new ConfigurationError(`emit: "of.row" must be a whole row of "${collection}".`);
    for (const { name, kind } of model.columns) {
      const value = row[name];
      if (value === undefined || value === null || kinds[kind](value)) continue;
      throw new ConfigurationError(
        `emit: "of.row.${name}" must be ${kind === "datetime" ? "a Date" : `a value of the kind "${kind}"`}, as rows hold it.`,
      );
    }
  }

  /** The row of a stored event. */
  read({ type, subject }: Pick<StoredEvent, "type" | "subject">): Subject {
    if (subject === undefined) return this.#types.has(type) ? "nobody" : "anyone";
    if (subject === anyone) return "anyone";
    const { collection, row }: EventRow = JSON.parse(subject);
    const model = this.#models.get(collection);
    if (model === undefined) return "nobody";
    return this.#scoped.has(collection) ? { collection, row: fromJson(model, row) } : "anyone";
  }
}

const kinds: Readonly<Record<Column["kind"], (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  int: Number.isSafeInteger,
  number: Number.isFinite,
  bigint: (value) => typeof value === "bigint",
  decimal: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  datetime: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  json: () => true,
};

function toJson(model: CollectionModel, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = {};
  for (const { name, kind } of columnsOf(model)) {
    const value = row[name];
    if (value === undefined || value === null) continue;
    json[name] = kind === "datetime" ? (value as Date).getTime() : kind === "bigint" ? String(value) : value;
  }
  const { id, idParts } = model;
  if (idParts !== undefined) json[id] ??= joinId(idParts.map((part) => row[part]));
  return json;
}

function fromJson(model: CollectionModel, json: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {};
  for (const { name, kind } of columnsOf(model)) {
    const value = json[name];
    if (value === undefined) continue;
    row[name] = kind === "datetime" ? new Date(value as number) : kind === "bigint" ? BigInt(value as string) : value;
  }
  return row as Row;
}

/** The columns of the schema, and the time of the write. */
function columnsOf({ columns }: CollectionModel): readonly Pick<Column, "name" | "kind">[] {
  return [...columns, { name: "_updatedAt", kind: "datetime" }];
}
