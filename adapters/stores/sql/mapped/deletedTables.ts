import type { MappedSqlTable } from "./mappedTable.js";

/**
 * The tables of calls that ask for deleted rows. What they remove is gone, and what the first one updates is restored.
 *
 * @returns what a call asks for, its table, and the table in which a written row is found
 */
export function deletedTables(table: MappedSqlTable): (readonly ["only" | "with", MappedSqlTable, MappedSqlTable])[] {
  const { deletion, ofTenantOnly } = table;
  if (deletion === undefined || ofTenantOnly === undefined) return [];
  const plan = { ...table.plan, scope: table.plan.scope.filter((term) => term !== deletion.term) };
  const all: MappedSqlTable = {
    ...table,
    deletion: undefined,
    plan: { ...plan, covers: (line) => plan.table !== undefined && plan.scope.every((term) => line.includes(term)) },
    ofTenant: (tenant, bindings, from) => ofTenantOnly(tenant, bindings, from),
  };
  const deleted: MappedSqlTable = {
    ...all,
    restored: deletion,
    // Deleted rows may be few among the others, and no index is known to select them.
    plan: { ...all.plan, scope: table.plan.scope, covers: () => false },
    ofTenant: (tenant, bindings, from) =>
      `${ofTenantOnly(tenant, bindings, from)} and not (${deletion.isKept(from === undefined ? "" : `${from}.`)})`,
  };
  return [
    ["only", deleted, table],
    ["with", all, all],
  ];
}
