import type { ClamdAddress } from "restwright/clamd";

/** The shop's settings, from the environment. See README.md in this folder. */
export interface Settings {
  readonly port: number;
  readonly address: string;
  /** Prefix of every path: `""` or `/v1`. */
  readonly basePath: string;
  /** Folder of the embedded store; `:memory:` keeps nothing. */
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Redis for the records of idempotency keys; if it is not set, they are kept beside the rows. */
  readonly redisUrl: string | undefined;
  /** The bucket for files; if it is not set, they are kept in the data folder. */
  readonly s3: S3Settings | undefined;
  readonly authentication: boolean;
  /** Requests per minute of each principal, or of each address without credentials; 0 for no limit. */
  readonly rateLimit: number;
  /** Whether answers are compressed, and request bodies may be. */
  readonly compression: boolean;
  /** Whether a POST of an admin may ask for another method. */
  readonly trustsMethodOverride: boolean;
  /** Whether admins of the tenant `root` may name another tenant in `X-Tenant-ID`. */
  readonly readsTenantHeader: boolean;
  /** Whether each piece of an upload is on the disk before it is acknowledged, or only the whole file before it is ready. */
  readonly durablePieces: boolean;
  /** How many proxies each request passes. */
  readonly trustedHops: number;
  /** The secret that signs JWTs; if it is not set, the shop takes none. */
  readonly jwtSecret: string | undefined;
  /** Origins of pages that may use the API with credentials; empty if only its own may. */
  readonly corsOrigins: readonly string[];
  /** The secrets that sign cursors and seal the secrets of webhooks, the newest first; empty if none is set. */
  readonly secrets: readonly string[];
  /** Host names and addresses that webhooks may use although they are not public. */
  readonly webhookAllowHosts: readonly string[];
  /** The delay before each attempt of a delivery. */
  readonly webhookScheduleMs: readonly number[];
  /** A ClamAV daemon that scans files; if it is not set, they are not scanned. */
  readonly clamd: ClamdAddress | undefined;
  readonly logLevel: string;
  /** How the OpenAPI document declares filters. */
  readonly documentFilters: "deep" | "flat";
}

/** A bucket of S3, or of a store with the same API. */
export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** @throws {Error} for an invalid value; the message names the variable */
export function readSettings(variables: Variables): Settings {
  return {
    port: readPort(variables["PORT"] ?? "3000"),
    address: variables["HOST"] ?? "127.0.0.1",
    basePath: readBasePath(variables["BASE_PATH"] ?? ""),
    dataDir: variables["DATA_DIR"] ?? ".data",
    databaseUrl: readUrl("DATABASE_URL", /^postgres(?:ql)?:/, "postgres://user@host/database", variables),
    redisUrl: readUrl("REDIS_URL", /^rediss?:/, "redis://host:6379", variables),
    s3: readS3(variables),
    authentication: readSwitch("SHOP_AUTH", variables["SHOP_AUTH"] ?? "off"),
    rateLimit: readWhole("RATE_LIMIT", 1_000_000, variables),
    compression: readSwitch("COMPRESSION", variables["COMPRESSION"] || "on"),
    trustsMethodOverride: readSwitch("TRUST_METHOD_OVERRIDE", variables["TRUST_METHOD_OVERRIDE"] ?? "off"),
    readsTenantHeader: readSwitch("TENANT_HEADER", variables["TENANT_HEADER"] ?? "off"),
    durablePieces: readSwitch("DURABLE_PIECES", variables["DURABLE_PIECES"] ?? "on"),
    trustedHops: readWhole("TRUSTED_HOPS", 16, variables),
    jwtSecret: readJwtSecret(variables["SHOP_JWT_SECRET"] ?? ""),
    corsOrigins: readList(variables["CORS_ORIGINS"]),
    secrets: readList(variables["SECRETS"]),
    webhookAllowHosts: readList(variables["WEBHOOK_ALLOW_HOSTS"]),
    webhookScheduleMs: readSchedule(variables["WEBHOOK_SCHEDULE_SECONDS"] || "0,60,300,1800,7200,21600,43200,86400"),
    clamd: readClamd(variables["CLAMD"] ?? ""),
    logLevel: readLogLevel(variables["LOG_LEVEL"] ?? "info"),
    documentFilters: readFilters(variables["OPENAPI_FILTERS"] || "deep"),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`PORT must be a number from 0 to 65535; got "${text}".`);
}

function readWhole(name: string, max: number, variables: Variables): number {
  const text = variables[name] || "0";
  if (/^\d{1,7}$/.test(text) && Number(text) <= max) return Number(text);
  throw new Error(`${name} must be a whole number from 0 to ${max}; got "${text}".`);
}

function readFilters(text: string): "deep" | "flat" {
  if (text === "deep" || text === "flat") return text;
  throw new Error(`OPENAPI_FILTERS must be deep or flat; got "${text}".`);
}

function readBasePath(text: string): string {
  const path = text.replace(/\/+$/, "");
  if (path === "" || /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path)) return path;
  throw new Error(`BASE_PATH must be a path like /v1; got "${text}".`);
}

function readUrl(name: string, scheme: RegExp, example: string, variables: Variables): string | undefined {
  const text = variables[name] ?? "";
  if (text === "") return undefined;
  if (scheme.test(text) && URL.canParse(text)) return text;
  throw new Error(`${name} must be a URL like ${example}.`);
}

/** All variables of the bucket or none: an incomplete set must not silently keep the files in the data folder. */
function readS3(variables: Variables): S3Settings | undefined {
  const names = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  const missing = names.filter((name) => !variables[name]);
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) throw new Error(`${missing.join(", ")} must also be set to keep files in S3.`);
  const [, bucket = "", accessKeyId = "", secretAccessKey = ""] = names.map((name) => variables[name]);
  const endpoint = readUrl("S3_ENDPOINT", /^https?:/, "https://s3.eu-west-1.amazonaws.com", variables) ?? "";
  return { endpoint, bucket, region: variables["S3_REGION"] || "us-east-1", accessKeyId, secretAccessKey };
}

function readJwtSecret(text: string): string | undefined {
  if (text === "" || Buffer.byteLength(text) >= 32) return text || undefined;
  throw new Error("SHOP_JWT_SECRET must have at least 32 bytes.");
}

function readList(text = ""): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readSchedule(text: string): readonly number[] {
  const seconds = text.split(",").map((part) => part.trim());
  if (seconds.every((part) => /^\d{1,5}(?:\.\d{1,3})?$/.test(part) && Number(part) <= 86_400))
    return seconds.map((part) => Math.round(Number(part) * 1_000));
  throw new Error(`WEBHOOK_SCHEDULE_SECONDS must be a list of seconds like 0,60,300, each at most 86400; got "${text}".`);
}

function readClamd(text: string): ClamdAddress | undefined {
  if (text === "") return undefined;
  const [, ipv6, host = ipv6, port = ""] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new Error(`CLAMD must be a host and a port like 127.0.0.1:3310; got "${text}".`);
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

function readLogLevel(text: string): string {
  if (logLevels.includes(text)) return text;
  throw new Error(`LOG_LEVEL must be one of ${logLevels.join(", ")}; got "${text}".`);
}

function readSwitch(name: string, text: string): boolean {
  if (text === "on") return true;
  if (text === "off" || text === "") return false;
  throw new Error(`${name} must be "on" or "off"; got "${text}".`);
}
