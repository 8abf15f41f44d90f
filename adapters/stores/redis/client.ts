/** What this library needs from a client of `ioredis`, including a cluster client. */
export interface IoredisClient {
  evalsha(sha1: string, keys: number, ...keysAndValues: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...keysAndValues: string[]): Promise<unknown>;
}

/** What this library needs from a client of `redis`, including a pool or cluster client. It must be connected. */
export interface NodeRedisClient {
  evalSha(sha1: string, options: NodeRedisArguments): Promise<unknown>;
  eval(script: string, options: NodeRedisArguments): Promise<unknown>;
}

/** Keys and values of a script, as `redis` expects them. */
export interface NodeRedisArguments {
  keys: string[];
  arguments: string[];
}

/** A connected client that the caller owns: of `ioredis`, or of `redis` 5 and later. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Runs scripts in the same way on every client. */
export interface ScriptClient {
  /** Runs a script by its hash. Fails if the server has not seen the script. */
  runHash(sha1: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  runText(text: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
}

/**
 * Tells the two libraries apart by the spelling of their method.
 *
 * @throws {TypeError} if the client belongs to neither library
 */
export function scriptClient(client: RedisClient): ScriptClient {
  if ((typeof client !== "object" || client === null) && typeof client !== "function") throw noClient();
  if ("evalSha" in client) {
    return {
      runHash: (sha1, keys, values) => client.evalSha(sha1, { keys: [...keys], arguments: [...values] }),
      runText: (text, keys, values) => client.eval(text, { keys: [...keys], arguments: [...values] }),
    };
  }
  if (!("evalsha" in client)) throw noClient();
  return {
    runHash: (sha1, keys, values) => client.evalsha(sha1, keys.length, ...keys, ...values),
    runText: (text, keys, values) => client.eval(text, keys.length, ...keys, ...values),
  };
}

function noClient(): TypeError {
  return new TypeError("The Redis client is invalid; pass a client of ioredis, or of redis 5 or later.");
}
