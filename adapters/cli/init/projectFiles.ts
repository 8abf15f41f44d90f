import type { ProjectFile, ProjectPlan } from "./choices.js";
import { apiFile } from "./template/api.js";
import { mainFile } from "./template/main.js";
import { manifestFile } from "./template/manifest.js";
import { readmeFile } from "./template/readme.js";
import { serverFile } from "./template/server.js";
import { storageFile } from "./template/storage.js";
import { tasksFile } from "./template/tasks.js";
import { testFile } from "./template/test.js";
import { typed } from "./template/typed.js";

/**
 * The files of a project.
 *
 * @example
 * projectFiles({ host: "koa", store: "sqlite", language: "javascript", name: "tasks", restwright: "^1.0.0", nodeVersion: "22.13.0" });
 */
export function projectFiles(plan: ProjectPlan): readonly ProjectFile[] {
  const isTyped = plan.language === "typescript";
  const types = typed(isTyped);
  const extension = isTyped ? "ts" : "js";
  return [
    { path: "package.json", text: manifestFile(plan) },
    ...(isTyped ? compilerFiles : []),
    { path: ".gitignore", text: "node_modules/\ndist/\ndata/\n.env\n" },
    { path: "README.md", text: readmeFile(plan) },
    { path: `src/main.${extension}`, text: mainFile(plan, types) },
    { path: `src/server.${extension}`, text: serverFile(plan, types) },
    { path: `src/api.${extension}`, text: apiFile(plan, types) },
    { path: `src/tasks.${extension}`, text: tasksFile },
    { path: `src/storage.${extension}`, text: storageFile(plan, types) },
    { path: `test/tasks.test.${extension}`, text: testFile(types) },
  ];
}

const compilerFiles: readonly ProjectFile[] = [
  {
    path: "tsconfig.json",
    text: `{
  "compilerOptions": {
    "target": "es2022",
    "lib": ["es2023"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "test"]
}
`,
  },
  {
    path: "tsconfig.build.json",
    text: `{
  "extends": "./tsconfig.json",
  "compilerOptions": {
    "noEmit": false,
    "rootDir": "src",
    "outDir": "dist"
  },
  "include": ["src"]
}
`,
  },
];
