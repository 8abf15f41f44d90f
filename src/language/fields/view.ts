import { createHash } from "node:crypto";
import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import type { Principal } from "../../parts/auth/verifier.js";
import { dependsOnPrincipal, type GuardedField, permission } from "../schema/access.js";
import type { Convert } from "../schema/wire.js";
import { canonicalOf } from "./chosen.js";
import { compilePick } from "./pick.js";
import type { ChosenFields, Selection } from "./selection.js";

/** The properties of a field that views need. */
export interface ViewField extends GuardedField {
  readonly heavy: boolean;
  readonly toOutput?: Convert | undefined;
}

/** A compiled selection of fields: the part of a row that one kind of reader sees. */
export interface View {
  /** Names the view in an ETag; `undefined` for the full default representation. */
  readonly tag: string | undefined;
  readonly names: ReadonlySet<string>;
  /** The shown fields, in order. */
  readonly fields: ChosenFields;
  /** The top-level fields that `select` reads; `undefined` if these are all fields of the store. */
  readonly columns: readonly string[] | undefined;
  /** Whether `select` makes tags of the versions of rows. */
  readonly tagged?: boolean | undefined;
  /** How a row is written, if not as JSON. */
  readonly format?: RowFormat | undefined;
  /** The JSON value of a row. A field without a value is null if the schema says nullable, absent otherwise. */
  select(row: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** Writes the value that a view selects. */
export interface RowFormat {
  /** Value of `Content-Type`. */
  readonly contentType: string;
  write(value: Readonly<Record<string, unknown>>): string;
}

export type ViewKind = "full" | "compact";

/** Views depend on what principals may read and what requests select; at most this many are cached. */
const maxCached = 256;

/** Longest cached key, in characters: names in data without a schema come from the client, and may be long. */
const maxKey = 1_024;

const nothing: readonly string[] = [];

/** The views of one collection: by kind or by selection, and by what the principal may read. */
export class Views {
  readonly #fields: ReadonlyMap<string, ViewField>;
  /** The number of stored fields, including those that no principal may read. */
  readonly #stored: number;
  readonly #kinds: Record<ViewKind, ChosenFields>;
  readonly #dynamic: readonly ViewField[];
  readonly #default: string | undefined;
  readonly #version: string;
  readonly #constant: Record<ViewKind, View>;
  readonly #cache = new RecentlyUsed<View>(maxCached);

  /** @param version of the API, which is part of every tag; absent for that of the schema */
  constructor(fields: Iterable<ViewField>, compact?: readonly string[] | undefined, version = "") {
    const all = [...fields];
    const readable = all.filter((field) => field.access?.read !== false);
    this.#stored = all.length;
    this.#fields = new Map(readable.map((field) => [field.name, field]));
    const full = readable.filter((field) => !field.heavy).map((field) => field.name);
    this.#kinds = { full: wholeFields(full), compact: wholeFields((compact ?? full).filter((name) => this.#fields.has(name))) };
    this.#dynamic = readable.filter((field) => dependsOnPrincipal(field.access));
    this.#version = version;
    this.#default = version === "" ? canonicalOf(this.#kinds.full) : undefined;
    this.#constant = { full: this.#compile(this.#kinds.full), compact: this.#compile(this.#kinds.compact) };
  }

  /** The fields of a default view, before rights are applied. */
  fieldsOf(kind: ViewKind): readonly ViewField[] {
    return [...this.#kinds[kind].keys()].flatMap((name) => this.#fields.get(name) ?? []);
  }

  /**
   * The view of a kind for a principal.
   *
   * @param only Names that an `authorize` callback narrowed the response to.
   */
  of(kind: ViewKind, principal: Principal, only?: readonly string[] | undefined): View {
    const denied = this.#denied(principal);
    if (denied.length === 0 && only === undefined) return this.#constant[kind];
    return this.#cached(kind, this.#kinds[kind], denied, only);
  }

  /** The view of a request's selection, for a principal: never more than that principal may read. */
  chosen(selection: Selection, kind: ViewKind, principal: Principal, only?: readonly string[] | undefined): View {
    if (selection.fields === undefined) return this.of(kind, principal, only);
    // The name of a kind never contains an equals sign.
    return this.#cached(`=${selection.canonical}`, selection.fields, this.#denied(principal), only);
  }

  #denied(principal: Principal): readonly string[] {
    if (this.#dynamic.length === 0) return nothing;
    return this.#dynamic.filter((field) => permission(field.access, "read", principal) !== "allowed").map((field) => field.name);
  }

  #cached(name: string, fields: ChosenFields, denied: readonly string[], only: readonly string[] | undefined): View {
    const key = denied.length === 0 && only === undefined ? name : JSON.stringify([name, denied, only]);
    let view = this.#cache.get(key);
    if (view === undefined) {
      const readable = [...fields].filter(([field]) => !denied.includes(field) && (only === undefined || only.includes(field)));
      view = this.#compile(new Map(readable));
      if (key.length <= maxKey) this.#cache.set(key, view);
    }
    return view;
  }

  #compile(chosen: ChosenFields): View {
    const names = [...chosen.keys()];
    const canonical = canonicalOf(chosen);
    return {
      tag: canonical === this.#default ? undefined : hashOf(this.#version + canonical),
      names: new Set(names),
      fields: chosen,
      columns: names.length === this.#stored ? undefined : names,
      select: compilePick(this.#fields, chosen),
    };
  }
}

function wholeFields(names: readonly string[]): ChosenFields {
  return new Map(names.map((name) => [name, true]));
}

function hashOf(canonical: string): string {
  return createHash("sha256").update(canonical).digest("hex").slice(0, 8);
}
