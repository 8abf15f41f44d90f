/** Who makes the calls: the developer's code in process, a client that has the types of the service, or one that has a declaration file `api.d.ts`. */
export type Caller = "code" | "client" | "declaration";

/** A program of a user with many collections of 12 fields, with a hook and an action, and one call of each method for each of them. What the compiler needs for it has a limit. */
export function typeProgram(collections: number, caller: Caller = "code"): string {
  const names = namesOf(collections);
  return program(names, caller, definitions(names), calls);
}

/** The same without rules, hooks and actions, and with five plain calls of each collection: what most programs have. */
export function plainProgram(collections: number, caller: Caller = "code"): string {
  const names = namesOf(collections);
  return program(names, caller, definitions(names, plainDefinition), plainCalls);
}

function program(names: readonly string[], caller: Caller, defined: string, callsOf: (name: string) => string): string {
  const shop = {
    code: 'api.as({ id: "7" })',
    client: 'createClient<typeof api>({ baseUrl: "https://example.com" })',
    declaration: 'createClient<Api>({ baseUrl: "https://example.com" })',
  };
  const client = caller === "code" ? "" : 'import { createClient } from "restwright/client";\n';
  const service =
    caller === "declaration"
      ? 'import type { Api } from "./api.js";'
      : `${imports("type Storage")}declare const storage: Storage;\n${defined}\nconst api = createService({ resources: [${names.join(", ")}], storage });`;
  return `${client}${service}\nconst shop = ${shop[caller]};\nexport async function run() {\n${names.map(callsOf).join("")}}\n`;
}

/** A module with the service of {@link typeProgram}, which `restwright client` takes. */
export function typeService(collections: number): string {
  const names = namesOf(collections);
  return `${imports("type Capability")}import { actions } from "restwright/actions";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
${definitions(names)}
const use: Capability[] = [actions(), hooks(), openapi({ info: { title: "Types", version: "1.0.0" } })];
export const service = createService({ resources: [${names.join(", ")}], storage: memoryStorage(), logger: false, use });
`;
}

const imports = (type: string) =>
  `import { belongsTo, createService, defineResource, hasMany, ${type} } from "restwright";\nimport { z } from "zod";\n`;

function namesOf(collections: number): readonly string[] {
  return Array.from({ length: collections }, (_, index) => `c${index}`);
}

function definitions(names: readonly string[], definitionOf = definition): string {
  const neighbour = (index: number, step: number) => names[(index + step + names.length) % names.length] ?? "";
  return names.map((name, index) => definitionOf(name, neighbour(index, 1), neighbour(index, -1))).join("");
}

const fields = (name: string) => `  schema: z.object({
    id: z.int(),
    name: z.string(),
    email: z.email(),
    status: z.enum(["open", "${name}"]),
    total: z.number(),
    big: z.bigint(),
    active: z.boolean(),
    createdAt: z.date(),
    updatedAt: z.date(),
    note: z.string().nullable(),
    ownerId: z.int(),
    address: z.object({ city: z.string(), zip: z.string() }),
  }),
  generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
`;

const links = (parent: string, child: string) => `  unique: ["email"],
  relations: { owner: belongsTo("${parent}", "ownerId"), others: hasMany("${child}", "ownerId") },
`;

const plainDefinition = (name: string, parent: string, child: string) => `
const ${name} = defineResource("${name}", {
${fields(name)}${links(parent, child)}});
`;

const definition = (name: string, parent: string, child: string) => `
const ${name} = defineResource("${name}", {
${fields(name)}${links(parent, child)}  access: { note: { read: ({ claims }) => claims?.["role"] === "admin" } },
  scope: ({ principal }) => principal.claims?.["role"] === "admin" || { ownerId: Number(principal.id) },
  stamp: { ownerId: ({ principal }) => Number(principal.id) },
  hooks: { beforeWrite: ({ kind, next }) => (kind === "create" ? { total: next.total + 1 } : undefined) },
  actions: ({ action }) => ({
    cancel: action({ on: "row", input: z.object({ reason: z.string() }), run: ({ input }) => ({ status: "${name}", note: input.reason }) }),
  }),
});
`;

const members = (name: string) =>
  `name: "a", email: "a@b.c", status: "${name}", total: 1, big: 1n, active: true, note: null, address: { city: "a", zip: "b" }`;

const row = (name: string) => `{ ${members(name)} }`;

const calls = (name: string) => `  {
    const { data } = await shop.${name}.list({
      where: { total: { gte: 5 }, or: [{ status: "${name}" }] }, sort: "-createdAt", perPage: 20, fields: ["id", "total"], include: ["owner"],
    });
    const total: number | undefined = data[0]?.total;
    for await (const each of shop.${name}.walk({ where: { name: "a" } })) { const text: string = each.name; void text; }
    const one = await shop.${name}.get(7, { include: ["others"] });
    const made = await shop.${name}.create(${row(name)});
    await shop.${name}.update(7, { total: 5, address: { city: "b" } }, { ifMatch: made });
    await shop.${name}.replace(7, ${row(name)});
    const count: number = await shop.${name}.count({ where: { active: true } });
    await shop.${name}.remove(7);
    const cancelled: string = (await shop.${name}.cancel(7, { reason: "a" })).name;
    void [total, one.others, count, cancelled];
  }
`;

const plainCalls = (name: string) => `  {
    const { data } = await shop.${name}.list();
    const one = await shop.${name}.get(7);
    const made = await shop.${name}.create({ ${members(name)}, ownerId: 7 });
    await shop.${name}.update(7, { total: 5 });
    await shop.${name}.remove(7);
    const totals: (number | undefined)[] = [data[0]?.total, one.total, made.total];
    void totals;
  }
`;
