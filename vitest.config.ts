import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type ProjectConfig, type TestSpecification } from "vitest/node";
import { entries, specifierOf } from "./test/rooms/rooms.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const alias = [...entries].map(([entry, source]) => ({ find: new RegExp(`^${specifierOf(entry)}$`), replacement: at(source) }));

/** Mock modules of Node, so that each of them has a process of its own. */
const isolated = ["test/stores/{diskFaults,diskPowerCut,diskRaces}.test.ts"];

/**
 * Not run by `npm test`, which needs nothing but Node and has a minute and a half. They share processes as the quick files do: a test closes what it opens and changes no global state.
 */
const slow = [
  // Need a server that npm does not install, write files, start processes, or take more than two seconds.
  "test/rooms/importRules.test.ts",
  "test/schema/valuesOfTypes.test.ts",
  "test/auth/**/{curl,jwks,sessions}.test.ts",
  "test/client/{contract,docs,faults,transfer,uploads}.test.ts",
  "test/cli/{importTrouble,initFiles,process,sendFile}.test.ts",
  "test/auth/sigv4Signers.test.ts",
  "test/blobs/overSockets.test.ts",
  "test/checks/{checkFile,clamd}.test.ts",
  "test/corpora/{naughty,stored}.test.ts",
  "test/docs/{code,options,reference,replacedFiles,storagePrograms,uploads}.test.ts",
  "test/docsPage/{bundled,shop}.test.ts",
  "test/e2e/*.test.ts",
  "test/fuzz/*.test.ts",
  "test/gate/tally.test.ts",
  "test/guides/{fromExpress,production,ruleEffects,start}.test.ts",
  "test/{hooks,rules}/{operationIds,races,ways}.test.ts",
  "test/hosts/idempotent{Fastify,Hono,Koa}*.test.ts",
  "test/stores/{blob*,dead*,disk*,draftHistories,hashWorker,idempotency,insertMany,largeReads,longReads,memoryWebhooks,objectMaker}.test.ts",
  "test/tables/{check,chunks,contract,introspect,lastModified,longReads,races,sqliteContract,tags,unreadable,values,ways}*.test.ts",
  "test/stores/{pgbouncer,postgres*,rateLimit*,redis*,s3*,sameRows,sqlJobs,sqliteFaults}.test.ts",
  // Repeat a suite for another host or store, try thousands of inputs or large data, or provoke faults and races at each step.
  "test/attacks/holdMeter.test.ts",
  "test/auth/jwt/bearerJwt.test.ts",
  "test/batch/{executeTime,multipartProperties,referenceProperties}.test.ts",
  "test/{checks/macroCheck,compression/bombs,fields/parseProperties,secrets/sealedChunks}.test.ts",
  "test/{docsPage/hosts,docsPage/pages,guides/ruleGuides,openapi/generated}.test.ts",
  "test/hosts/{express,fastify,fetch,hono,koa,node}.test.ts",
  "test/{rules/twoAtOnce/*,guides/manyRows,testing/explore,stores/interleaving*}.test.ts",
  "test/patch/{bombs,properties,rfc6902}.test.ts",
  "test/query/{addedOperator,day,filterQuery,hidden,sameRows,total}.test.ts",
  "test/rules/{asked,meanwhile/*}.test.ts",
  "test/service/batch{Contention,Cut,Deadlocks,Faults,Jobs*}.test.ts",
  "test/service/{createRules,exportStreams,hidden,importChunks,importCut,importKilled,importResume,importStop,includeProperty,referenceDeletes,sealed*,writeCut}.test.ts",
  "test/stores/{compareText,memoryIndexes,memorySubscribers,recordsOnDisk,sqliteFile,sqliteWriter,sqlSubscribers,sqlUploads,sqlWebhooks,subscriberContract}.test.ts",
  "test/tables/{compositeIds,compositeRelations,decimals}.test.ts",
  "test/testing/{collectionContract,faultyStorage}.test.ts",
  "test/transfer/{exportRows,formats/csvRows,formats/csvScanner,formats/expand,importRows,roundTrip}.test.ts",
  "test/uploads/{formProperties,hashedBlob,multipartAborts,multipartRequests,rows/claims,service/formsDisconnects,service/presignPut}.test.ts",
  "test/webhooks/{ladder,transportGuard,url}.test.ts",
  "test/{docs/batch,formats/largeLists,idempotency/fingerprintInTurns,stores/sharedValues,subscribers/delivery,uploads/service/releasedChunks}.test.ts",
  "test/stores/{jobPlans,jobs,subscribers,webhooks}.test.ts",
  // Kill processes, attack services, or look at pages in a browser.
  "test/attacks/*Attacks.test.ts",
  "test/docsPage/{browser,browserForms,large,swagger}.test.ts",
  "test/**/*[cC]rash.test.ts",
  "test/client/writers.test.ts",
  "test/service/scripts/*.test.ts",
  "test/service/{batchIdempotency,batchIdempotencySlices,crashPoints,exportJobs,lateBegin,lostClaims,stderrLogger,storedAnswers}.test.ts",
  "test/stores/places.test.ts",
  "test/uploads/service/{breaks,durability,formsTakenOver,histories,keys,presignStore,processes,resumable,sums,wrongRequests}.test.ts",
  "test/webhooks/{fairness,faults,hanging,shared,transport,transportLife}.test.ts",
];

/**
 * Slow files that take more than eight seconds of an idle machine, except for one host, the shop and the contract on PostgreSQL. The gate (`TEST_EXTENT=gate`) has a quarter of them, chosen by the seed of the run; all other runs have them all.
 */
const long = Object.entries({
  query: "addedOperator sameRows",
  "rules/twoAtOnce": "ways",
  testing: "explore",
  "service/scripts": "scripts",
  batch: "multipartProperties",
  cli: "process",
  client: "contract faults transfer uploads writers",
  corpora: "naughty stored",
  docs: "batch code storagePrograms",
  docsPage: "browser browserForms large swagger",
  e2e: "batches batchKill batchTakenOver caches corsPage examples faults importKill importPage keyed kill mappedKeyed notesPage npmStart queries readme receiver recovery schemaChange shopCaches shopDocument shopOnHosts shopPasswords shopReceipts shopRules shopScopes shopSettings subscriberKill uploads uploadsCrash uploadsPage webhookKill webhooks",
  formats: "largeLists",
  gate: "tally",
  guides: "ruleEffects start",
  hooks: "operationIds ways",
  hosts: "fastify fetch hono koa node",
  "openapi/agreement": "agreement",
  "rules/meanwhile": "exports jobs replays results",
  rules: "races ways",
  service:
    "batchCut batchIdempotency batchIdempotencySlices batchJobs batchJobsCrash batchJobsFaults batchJobsResume crashPoints exportStreams importCrash importCut importKilled lostClaims referenceDeletes sealedBatches sealedImports stderrLogger writeCut",
  stores:
    "blobContract blobs deadRedis deadWorkers diskDrafts draftHistories engine/addedEngine idempotency insertMany interleavingContract jobs largeReads longReads memorySubscribers memoryWebhooks places postgresCancel postgresRowLock postgresSlowReaders postgresTableLock rateLimitProcesses rateLimits s3Blobs s3Drafts s3Multipart sameRows sharedValues sqliteFile sqlSubscribers sqlUploads sqlWebhooks",
  subscribers: "delivery",
  tables:
    "check chunks compositeIds compositeRelations contract decimals introspect introspectSockets introspectSqlite longReads races sqliteContract values valuesHostile valuesWalk ways",
  "uploads/service": "durability formsTakenOver histories keys presignPut presignStore processes resumable",
  webhooks: "fairness ladder shared",
}).flatMap(([folder, names]) => names.split(" ").map((name) => `test/${folder}/${name}.test.ts`));
for (const file of long) if (!existsSync(at(file))) throw new Error(`There is no ${file}, which the list of long files names.`);

// Each process of one run chooses the same sample of files and cases.
process.env["TEST_SEED"] ||= String(randomInt(1_000_000));
const quarter = Number(process.env["TEST_SEED"]) % 4;
const chosenLong = process.env["TEST_EXTENT"] === "gate" ? long.filter((_, index) => index % 4 === quarter) : long;

/** Long files first: vitest begins with the longest texts, and would end with one worker that waits and one that has nothing to do. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => ["isolated", "long", "slow", "quick"].indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** The order of the files: long files first, or random for this seed, so that a test that depends on its neighbours is found (`test/long/flaky.ts`). */
const orderSeed = process.env["TEST_ORDER_SEED"];
const sequence = orderSeed === undefined ? { sequencer: LongFirst } : { shuffle: { files: true, tests: false }, seed: Number(orderSeed) };

/** Files that a run of the gate leaves out, by patterns between blanks. Vitest ignores its option `--exclude` in configurations with projects. */
const leftOut = process.env["TEST_LEFT_OUT"]?.split(" ") ?? [];

/** A run of the gate gets a report in `$TEST_REPORT.json`, and in `$TEST_REPORT.errors.json` the errors that belong to no test. */
const report = process.env["TEST_REPORT"];
export const reporters: NonNullable<NonNullable<ViteUserConfig["test"]>["reporters"]> =
  report === undefined
    ? [["default", {}]]
    : [
        ["default", {}],
        ["./.ci/unhandledErrors.mjs", {}],
        ["json", { outputFile: `${report}.json` }],
      ];

const recorded = at("test/recorder/service.ts");

/** Tests that import `createService` get one whose answers are compared with its OpenAPI document. */
const recorder: Plugin = {
  name: "recorder",
  enforce: "pre",
  resolveId: (source, importer) => (source === "./service.js" && importer?.endsWith("/src/engine/service/index.ts") ? recorded : undefined),
};

function project(test: ProjectConfig): TestProjectInlineConfiguration {
  return {
    plugins: [recorder],
    resolve: { alias },
    test: {
      globalSetup: "test/compiled/setup.ts",
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // As long as `eventually` waits: by default a condition must hold within a second, which a busy machine can take for one answer.
      expect: { poll: { timeout: 30_000, interval: 10 } },
      // Tests that are marked as concurrent wait for time to pass.
      maxConcurrency: 20,
      setupFiles: ["test/recorder/setup.ts"],
      ...test,
    },
  };
}

// All tests but those of test/package: what users install needs a registry and minutes, and has a configuration of its own.
export default defineConfig({
  test: {
    // Services without a logger write to stderr, and tests provoke faults: only the output of tests that fail is shown.
    silent: "passed-only",
    reporters,
    // Many tests wait for processes, sockets and databases, so cores would be idle.
    maxWorkers: availableParallelism() + 1,
    // Vitest takes a line that a service logs as its file ends for an error if the worker closes before the line has been passed on.
    onUnhandledError: ({ name, message }) => !(name === "EnvironmentTeardownError" && message.includes('"onUserConsoleLog"')),
    sequence,
    projects: [
      // Hundreds of files import the same sources, so they share processes.
      project({
        name: "quick",
        include: ["test/**/*.test.ts"],
        exclude: ["test/package/**", ...slow, ...long, ...isolated, ...leftOut],
        isolate: false,
      }),
      project({ name: "slow", include: slow, exclude: [...long, ...isolated, ...leftOut], isolate: false }),
      project({ name: "long", include: chosenLong, exclude: leftOut, isolate: false }),
      project({ name: "isolated", include: isolated, exclude: leftOut }),
      project({ name: "types", typecheck: { enabled: true, only: true, include: ["test/**/*.test-d.ts"] } }),
    ],
  },
});
