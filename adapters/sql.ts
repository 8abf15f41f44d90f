export type { SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "./sql/engine/executor.js";
export { type SqlStorageOptions, sqlStorage } from "./sql/storage.js";
