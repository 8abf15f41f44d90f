#!/usr/bin/env bash
# zod 4.6.7: `z.int().multipleOf(3)` takes 3000000000000001, and so do other integers from about 10^15 on that are no multiples: the quotient is compared with a tolerance that
# is meant for decimal steps such as 0.01. The JSON Schema that zod writes for the type says `multipleOf: 3`, and ajv 8.20.0 refuses the same value by it.
# In restwright: answers are described without `multipleOf`, and docs/openapi.md ("Where bodies differ from what is taken") names the difference.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat > compare.mjs <<'JS'
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";

const type = z.int().multipleOf(3);
const isValid = new Ajv2020().compile(z.toJSONSchema(type));
for (const value of [30, 31, 300000000000001, 3000000000000001]) {
  console.log(`${value}: remainder ${value % 3}, zod ${type.safeParse(value).success}, its JSON Schema ${isValid(value)}`);
}
JS
seen=$(node compare.mjs)
echo "$seen"
[[ $seen == "30: remainder 0, zod true, its JSON Schema true
31: remainder 1, zod false, its JSON Schema false
300000000000001: remainder 1, zod false, its JSON Schema false
3000000000000001: remainder 1, zod true, its JSON Schema false" ]]
