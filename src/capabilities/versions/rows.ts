import { namedFieldsOf, noteNamedFields, withItemOf } from "../../engine/operation/write/writeMarks.js";
import { refuseProblems } from "../../engine/resource/write/members.js";
import { mapInTurns } from "../../ground/http/yieldToEventLoop.js";
import type {
  Call,
  Collection,
  CountedRows,
  CountOptions,
  GroupQuery,
  InsertCall,
  InsertManyOptions,
  IterateOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../../ground/storage/collection.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import type { Query } from "../../ground/storage/query.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { nearFilter, nearQuery, readChanges } from "./queries.js";
import { farNames, readRow, type Step, type StepChange, sourceOf, validFields, withoutMembers } from "./step.js";

/** Makes values of generated fields for a new row of the neighbour. */
export type Generate = () => Readonly<Record<string, unknown>>;

/** The rows of a collection in one version, over those of its neighbour: every read and every write is converted here. */
export class VersionRows extends RowsOver {
  readonly #step: Step;
  readonly #generate: Generate;

  constructor(rows: Required<Collection>, step: Step, generate: Generate) {
    super(rows);
    this.#step = step;
    this.#generate = generate;
  }

  override async find(query: Query, call: Call): Promise<Row[]> {
    return this.#shown(await this.rows.find(nearQuery(this.#step, query), call), query.fields);
  }

  override async get(id: Id, call: Call): Promise<Row | undefined> {
    const row = await this.rows.get(id, call);
    return row && readRow(this.#step, row);
  }

  override count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return this.rows.count(filter && nearFilter(this.#step, filter), call);
  }

  override async findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    const found = await this.rows.findAndCount(nearQuery(this.#step, query), nearQuery(this.#step, total), call);
    return { ...found, rows: await this.#shown(found.rows, query.fields) };
  }

  override async getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    return this.#shown(await this.rows.getMany(ids, call), undefined);
  }

  override async findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.#shown(await this.rows.findGroups(nearQuery(this.#step, query), call), query.fields);
  }

  override async *iterate(query: Query, call: Call & IterateOptions): AsyncIterable<Row[]> {
    for await (const rows of this.rows.iterate(nearQuery(this.#step, query), call)) yield await this.#shown(rows, query.fields);
  }

  override async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.#outcome(await this.rows.insert(await this.#newRow(row), call));
  }

  override async insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    const outcomes = await this.rows.insertMany(await mapInTurns(rows, (row) => this.#newRow(row)), call);
    return mapInTurns(outcomes, (outcome) => this.#outcome(outcome));
  }

  override async update(id: Id, patch: RowPatch, { before: far, ...others }: UpdateCall): Promise<Outcome<Row>> {
    const { changes } = this.#step;
    const call = { ...others, before: nearOf(far) };
    const touched = call.replace === true ? changes : changes.filter(({ far }) => far.some(({ name }) => Object.hasOwn(patch, name)));
    if (touched.length === 0) return this.#outcome(await this.rows.update(id, withoutMembers(changes, patch) as RowPatch, call));
    const before = call.before ?? (await this.rows.get(id, call));
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return this.#outcome({ ok: false, why: "stale", current: before });
    // A member that a replacement does not have is absent from then on; one that a patch does not have stays.
    const row = call.replace === true ? patch : { ...readRow(this.#step, before, touched), ...patch };
    const values = this.#named(patch, { ...withoutMembers(changes, patch), ...(await this.#fields(touched, row, before)) } as RowPatch);
    return this.#outcome(await this.rows.update(id, values, call));
  }

  override updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return mapInTurns(updates, ({ id, patch, ...own }) => this.update(id, patch, { ...call, ...own }));
  }

  override async updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    if (this.#step.changes.some(({ far }) => far.some(({ name }) => Object.hasOwn(patch, name)))) {
      throw new Error("A member that differs in a version is written row by row.");
    }
    return this.rows.updateMany(filter && nearFilter(this.#step, filter), patch, call);
  }

  override async remove(id: Id, { before, ...call }: RemoveCall): Promise<Outcome<Row>> {
    const near: RemoveCall = { ...call, before: nearOf(before) };
    return this.#outcome(await this.rows.remove(id, near));
  }

  override removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.rows.removeMany(filter && nearFilter(this.#step, filter), call);
  }

  #shown(rows: readonly Row[], fields: Query["fields"]): Promise<Row[]> {
    const changes = readChanges(this.#step, fields);
    return mapInTurns(rows, (row) => readRow(this.#step, row, changes));
  }

  async #newRow(row: NewRow): Promise<NewRow> {
    const { changes } = this.#step;
    return this.#named(row, { ...withoutMembers(changes, row), ...(await this.#fields(changes, row, undefined)) } as NewRow);
  }

  /** Notes which fields of the neighbour the caller named, by the members of this version. */
  #named<V extends Row | RowPatch>(given: V, values: V): V {
    const names = namedFieldsOf(given);
    if (names === undefined) return withItemOf(given, values);
    const { changes } = this.#step;
    const isFar = new Set(changes.flatMap(({ far }) => far.map(({ name }) => name)));
    const near = changes.filter(({ far }) => far.some(({ name }) => names.includes(name))).flatMap((change) => change.near.map(({ name }) => name));
    return noteNamedFields(withItemOf(given, values), [...names.filter((name) => !isFar.has(name)), ...near]);
  }

  /** @throws {ProblemError} VALIDATION_FAILED */
  async #fields(changes: readonly StepChange[], row: Row, before: Row | undefined): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const each of changes) {
      const valid = await validFields(each, row, before);
      refuseProblems(valid.items);
      Object.assign(values, valid.values);
      for (const { name, generator } of each.near) {
        if (generator === undefined) continue;
        values[name] = before === undefined || generator === "updatedAt" ? this.#generate()[name] : before[name];
      }
    }
    return values;
  }

  #outcome(outcome: Outcome<Row>): Outcome<Row> {
    const step = this.#step;
    if (outcome.ok) return { ...outcome, row: readRow(step, outcome.row) };
    if (outcome.why === "stale") return outcome.current === undefined ? outcome : { ...outcome, current: readRow(step, outcome.current) };
    return outcome.why === "conflict" ? { ...outcome, fields: farNames(step, outcome.fields) } : outcome;
  }
}

/** The row of the neighbour as it was read; `undefined` if the row is a copy with changes. */
function nearOf(row: Row | undefined): Row | undefined {
  const near = row && sourceOf(row);
  return near?._version === row?._version ? near : undefined;
}
