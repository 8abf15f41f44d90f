export type { SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "./stores/sql/engine/executor.js";
export { type SqlStorageOptions, sqlStorage } from "./stores/sql/storage.js";
