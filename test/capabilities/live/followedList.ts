import assert from "node:assert/strict";
import { EventStreamClient, type Told } from "../../tools/eventStreamClient.js";

export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly total: number };

/** A client as the guide describes one: it opens the stream, reads the list, and applies what it is told; it goes on where it was when a connection is cut. */
export class FollowedList {
  readonly rows = new Map<string, Row>();
  readonly #url: string;
  readonly #query: string;
  readonly #token: string;
  readonly #mayHave: (row: Row) => boolean;
  #client: EventStreamClient | undefined;
  #applied = 0;
  /** Whether the list has been read since the last `ready`. */
  #hasList = false;
  #lastId: string | undefined;
  readonly #seen = new Map<string, number>();
  resets = 0;

  /** @param mayHave whether the caller may be told of a row */
  constructor(url: string, { query, token, mayHave }: { readonly query: string; readonly token: string; readonly mayHave: (row: Row) => boolean }) {
    this.#url = url;
    this.#query = query;
    this.#token = token;
    this.#mayHave = mayHave;
  }

  async connect(url = this.#url): Promise<void> {
    this.#client = await EventStreamClient.connect(`${url}/orders?${this.#query}`, { token: this.#token, after: this.#lastId });
    assert.equal(this.#client.status, 200, JSON.stringify(this.#client.problem));
    this.#applied = 0;
    if (this.#lastId === undefined) this.#hasList = false;
  }

  cut(): void {
    this.#apply();
    this.#lastId = this.#hasList ? this.#client?.lastId : undefined;
    this.#client?.cut();
  }

  /** Applies what was told so far. */
  async settle(): Promise<void> {
    this.#apply();
    if (this.#hasList || !(this.#client?.told ?? []).some(({ event }) => event === "ready")) return;
    await this.#readList();
    this.#hasList = true;
    this.#apply();
  }

  #apply(): void {
    const told = this.#client?.told ?? [];
    const ready = told.findLastIndex(({ event }) => event === "ready");
    if (ready >= this.#applied) {
      if (this.#applied > 0 || this.#hasList) this.resets += 1;
      this.#hasList = false;
      this.#applied = ready + 1;
    }
    if (!this.#hasList) return;
    for (; this.#applied < told.length; this.#applied += 1) this.#take(told[this.#applied] as Told);
  }

  #take({ event, data }: Told): void {
    if (event === "left" || event === "removed") this.rows.delete(data.id);
    if (event !== "created" && event !== "changed") return;
    const row: Row = data.row;
    assert.ok(this.#mayHave(row), `${this.#token} was told of ${JSON.stringify(row)}`);
    assert.ok(row.total >= (this.#seen.get(row.id) ?? 0), `the row ${row.id} goes back`);
    this.#seen.set(row.id, row.total);
    this.rows.set(row.id, row);
  }

  /** Fails unless what it was told, put together, is the list. */
  async compare(name: string): Promise<void> {
    await this.settle();
    const byId = (left: Row, right: Row) => (left.id < right.id ? -1 : 1);
    assert.deepStrictEqual([...this.rows.values()].sort(byId), [...(await this.list())].sort(byId), name);
  }

  /** The list as it is now. */
  async list(): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let path: string | null = `/orders?${this.#query}&perPage=100&count=none`;
    while (path !== null) {
      const response = await fetch(this.#url + path, { headers: { authorization: `Bearer ${this.#token}` } });
      const { data, links } = (await response.json()) as { data: Row[]; links: { next: string | null } };
      rows.push(...data);
      path = links.next ?? null;
    }
    return rows;
  }

  async #readList(): Promise<void> {
    const rows = await this.list();
    this.rows.clear();
    for (const row of rows) this.rows.set(row.id, row);
  }
}
