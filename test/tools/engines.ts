import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { TaskMeta, TestContext } from "vitest";
import { isFull, seed } from "./extent.js";

/** A server or a program that `npm ci` does not install. A gate that has started it promises it, so that no test can skip it (`.ci/steps.sh`, `.ci/tally.mjs`). */
export type Engine =
  | "postgres"
  | "redis"
  | "redis-server"
  | "s3"
  | "chromium"
  | "clamd"
  | "nginx"
  | "varnish"
  | "pgbouncer"
  | "curl"
  | "psql"
  | "sqlite"
  | "rabbitmq"
  | "nats";

declare module "vitest" {
  interface TaskMeta {
    /** Why the test is skipped. */
    skipped?: string;
    /** The engines for lack of which the test is skipped. */
    lacks?: readonly Engine[];
  }
}

/** Options of a test or of a suite. */
interface SkipOptions {
  readonly skip: boolean;
  readonly meta: Partial<TaskMeta>;
}

const programOf = (variable: string, usual: string) => process.env[variable] || (existsSync(usual) ? usual : undefined);

export const postgresUrl = process.env["POSTGRES_URL"];
export const redisUrl = process.env["REDIS_URL"];
export const rabbitmqUrl = process.env["RABBITMQ_URL"];
export const natsUrl = process.env["NATS_URL"];
export const chromiumPath = programOf("CHROMIUM_PATH", "/usr/bin/chromium");
export const nginxPath = programOf("NGINX", "/usr/sbin/nginx");
export const varnishdPath = programOf("VARNISHD", "/usr/sbin/varnishd");
export const pgbouncerPath = programOf("PGBOUNCER", "/usr/sbin/pgbouncer");

const isSet = (variable: string) => process.env[variable] !== undefined;
const runs = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** How to find each engine, and what makes the tests find it. */
const engines: Readonly<Record<Engine, { readonly isPresent: () => boolean; readonly remedy: string }>> = {
  postgres: { isPresent: () => postgresUrl !== undefined, remedy: "set POSTGRES_URL" },
  redis: { isPresent: () => redisUrl !== undefined, remedy: "set REDIS_URL" },
  "redis-server": { isPresent: () => runs("redis-server"), remedy: "install redis-server" },
  s3: { isPresent: () => isSet("S3_TEST_ENDPOINT"), remedy: "set S3_TEST_ENDPOINT" },
  chromium: { isPresent: () => chromiumPath !== undefined, remedy: "set CHROMIUM_PATH" },
  clamd: { isPresent: () => isSet("CLAMD_HOST") || runs("clamd"), remedy: "install clamd or set CLAMD_HOST" },
  nginx: { isPresent: () => nginxPath !== undefined, remedy: "set NGINX" },
  varnish: { isPresent: () => varnishdPath !== undefined, remedy: "set VARNISHD" },
  pgbouncer: { isPresent: () => pgbouncerPath !== undefined, remedy: "set PGBOUNCER" },
  curl: { isPresent: () => runs("curl"), remedy: "install curl" },
  psql: { isPresent: () => runs("psql"), remedy: "install psql" },
  // One is always there; a gate says which one it means.
  sqlite: { isPresent: () => isSet("SQLITE_DRIVER"), remedy: "set SQLITE_DRIVER" },
  rabbitmq: { isPresent: () => rabbitmqUrl !== undefined, remedy: "set RABBITMQ_URL" },
  nats: { isPresent: () => natsUrl !== undefined, remedy: "set NATS_URL" },
};

export const isMissing = (engine: Engine): boolean => !engines[engine].isPresent();

/** Options that skip a test or a suite where one of these engines is missing, and name it in the report. */
export function needs(...needed: readonly Engine[]): SkipOptions {
  const lacks = needed.filter(isMissing);
  if (lacks.length === 0) return { skip: false, meta: {} };
  const skipped = `needs ${lacks.map((engine) => `${engine} (${engines[engine].remedy})`).join(" and ")}`;
  return { skip: true, meta: { skipped, lacks } };
}

/**
 * Options of the variants of one test on different engines, in the order of these lists: a full run has all of them, a sample the one that the seed of the run chooses among
 * those whose engines are here.
 */
export function variants<const Lists extends readonly (readonly Engine[])[]>(...lists: Lists): { readonly [Index in keyof Lists]: SkipOptions } {
  const present = lists.flatMap((needed, index) => (needed.some(isMissing) ? [] : [index]));
  const chosen = present[seed % present.length];
  const optionsOf = (needed: readonly Engine[], index: number) =>
    isFull || chosen === undefined || index === chosen || !present.includes(index)
      ? needs(...needed)
      : onlyIf(false, `the variant on another engine is in this sample (TEST_SEED=${seed})`);
  return lists.map(optionsOf) as { readonly [Index in keyof Lists]: SkipOptions };
}

/**
 * Options that run a test or a suite only under this condition, and give the reason otherwise.
 *
 * @param reason what is the matter where the condition does not hold
 */
export function onlyIf(condition: boolean, reason: string): SkipOptions {
  return condition ? { skip: false, meta: {} } : { skip: true, meta: { skipped: reason } };
}

/** Skips the test that is running, with the reason in the report. */
export function skipBecause({ task, skip }: TestContext, reason: string): never {
  task.meta.skipped = reason;
  return skip(reason);
}
