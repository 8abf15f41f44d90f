import { z } from "zod";
import { resolveLimits } from "../../../src/ground/limits/limits.js";
import type { ProblemItem } from "../../../src/ground/problem/index.js";
import { parseSelection, type SelectionContext } from "../../../src/language/fields/parse.js";
import type { SelectableCollection, SelectableRelation, Selection, SelectionText } from "../../../src/language/fields/selection.js";
import { type ViewField, Views } from "../../../src/language/fields/view.js";
import { type FieldAccess, gateFor } from "../../../src/language/schema/access.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";
import { outputConverter } from "../../../src/language/schema/wire.js";

interface Options {
  readonly heavy?: readonly string[];
  readonly compact?: readonly string[];
  readonly access?: Readonly<Record<string, FieldAccess>>;
}

interface TestCollection extends SelectableCollection {
  readonly relations: Map<string, SelectableRelation>;
}

function collection(name: string, schema: z.ZodObject, { heavy = [], compact, access = {} }: Options = {}): TestCollection {
  const fields = new Map<string, ViewField>();
  for (const [member, model] of introspectObject(schema)) {
    fields.set(member, { ...model, heavy: heavy.includes(member), access: access[member], toOutput: outputConverter(model) });
  }
  return { name, fields, views: new Views(fields.values(), compact), relations: new Map() };
}

function relate(from: TestCollection, name: string, many: boolean, target: TestCollection, key: string): void {
  const field = (many ? target : from).fields.get(key);
  if (field === undefined) throw new Error(`There is no key "${key}".`);
  from.relations.set(name, { many, key: field, target });
}

const admin = ({ id }: { readonly id: string }) => id === "admin";

export const companies = collection("companies", z.object({ id: z.int(), name: z.string(), country: z.string() }));

export const users = collection(
  "users",
  z.object({
    id: z.int(),
    name: z.string(),
    email: z.email(),
    bio: z.string(),
    salary: z.number(),
    companyId: z.int().nullable(),
    managerId: z.int().nullable(),
  }),
  { heavy: ["bio"], compact: ["id", "name", "email"], access: { salary: { read: admin, onForbidden: "403" } } },
);

export const orders = collection(
  "orders",
  z.object({
    id: z.int(),
    status: z.string(),
    total: z.number(),
    big: z.bigint().optional(),
    address: z.object({ city: z.string(), zip: z.string(), geo: z.object({ lat: z.number(), lon: z.number() }).optional() }).nullable(),
    lines: z.array(z.object({ sku: z.string(), quantity: z.int(), price: z.number() })),
    meta: z.record(z.string(), z.object({ by: z.string(), at: z.string() })),
    payload: z.unknown(),
    loose: z.looseObject({ known: z.string() }),
    either: z.union([z.object({ card: z.string() }), z.object({ iban: z.string() }), z.string()]),
    notes: z.string(),
    margin: z.number(),
    audit: z.object({ by: z.string() }),
    ssn: z.string(),
    secret: z.string(),
    customerId: z.int(),
    agentId: z.int(),
    auditorId: z.int(),
  }),
  {
    heavy: ["notes"],
    compact: ["id", "status", "total", "margin"],
    access: {
      margin: { read: admin, onForbidden: "403" },
      audit: { read: admin },
      ssn: { read: admin, onForbidden: "hide" },
      secret: { read: false },
      agentId: { read: admin, onForbidden: "403" },
      auditorId: { read: admin, onForbidden: "hide" },
    },
  },
);

relate(orders, "customer", false, users, "customerId");
relate(orders, "agent", false, users, "agentId");
relate(orders, "auditor", false, users, "auditorId");
relate(users, "company", false, companies, "companyId");
relate(users, "manager", false, users, "managerId");
relate(users, "orders", true, orders, "customerId");
relate(users, "audits", true, orders, "auditorId");
relate(companies, "staff", true, users, "companyId");

/** The texts of a request as people write them: `fields`, `exclude`, `include`, `expand`, and types such as `fields[users]`. */
export type Texts = Readonly<Record<string, string>>;

export interface Asking {
  readonly id?: string;
  readonly only?: readonly string[];
  readonly kind?: SelectionContext["kind"];
  readonly limits?: Parameters<typeof resolveLimits>[0];
  readonly of?: SelectableCollection;
}

/** What a request for orders selects, and what is wrong with it. */
export function ask(texts: Texts, { id = "clerk", only, kind = "full", limits, of = orders }: Asking = {}) {
  const text = (parameter: string): SelectionText | undefined => {
    const given = texts[parameter];
    return given === undefined ? undefined : { text: given, place: { parameter } };
  };
  const types = Object.entries(texts).flatMap(([parameter, given]) => {
    const type = /^fields\[(.*)\]$/.exec(parameter)?.[1];
    return type === undefined ? [] : [[type, { text: given, place: { parameter } }] as const];
  });
  const problems: ProblemItem[] = [];
  const selection = parseSelection(
    {
      fields: text("fields"),
      exclude: text("exclude"),
      include: [text("include"), text("expand")].filter((given) => given !== undefined),
      types: new Map(types),
    },
    of,
    { kind, own: gateFor({ id }, only), related: gateFor({ id }), limits: resolveLimits(limits) },
    problems,
  );
  return { selection, problems };
}

/** A selection as one text: relations stand behind the fields, `default` means the default view. */
export function written({ fields, canonical, relations }: Selection): string {
  return [fields === undefined ? "default" : canonical, ...[...relations].map(([name, selection]) => `${name}(${written(selection)})`)].join(" + ");
}
