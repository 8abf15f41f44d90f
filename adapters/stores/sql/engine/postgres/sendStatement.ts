import type { SqlResult, SqlStatement } from "../executor.js";
import { askLean } from "./leanQuery.js";
import { type PostgresClient, type PostgresQuery, type PostgresResult, valueTypes } from "./postgresPool.js";
import type { StatementNames } from "./statementNames.js";

/** @param name without it the statement is not kept by the server */
export function toQuery({ text, values, isByDeveloper }: SqlStatement, name?: string): PostgresQuery {
  // In the extended protocol the server refuses several statements in one text, of which a later one could end the transaction.
  return { name, text, values: [...values], types: valueTypes, ...(isByDeveloper && { queryMode: "extended" }) };
}

/** @param name without it the statement is not kept by the server */
export function sendStatement(client: Pick<PostgresClient, "query">, statement: SqlStatement, name?: string): Promise<PostgresResult> {
  return askLean(client, statement, name) ?? client.query(toQuery(statement, name));
}

/** Runs a statement outside of a transaction, again without its name if that is why it failed. */
export async function runNamed(client: Pick<PostgresClient, "query">, names: StatementNames, statement: SqlStatement): Promise<PostgresResult> {
  const name = names.nameOf(statement);
  try {
    return await sendStatement(client, statement, name);
  } catch (error) {
    if (name === undefined || !names.failed(error)) throw error;
    return sendStatement(client, statement);
  }
}

export function toResult({ rows, rowCount, bytes }: PostgresResult): SqlResult {
  return { rows, affected: rowCount ?? rows.length, bytes };
}
