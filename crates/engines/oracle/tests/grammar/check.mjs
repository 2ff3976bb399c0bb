// Reads statements with an independent grammar of Oracle's SQL and PL/SQL (antlr/grammars-v4, as a package).
//
// Standard input: a JSON array of texts. Standard output: a JSON array with one array of errors for each of them.
// The first argument is the directory in which the packages are installed.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const directory = path.resolve(process.argv[2]);
const load = async (...parts) => import(pathToFileURL(path.join(directory, 'node_modules', ...parts)).href);
const antlr = await load('antlr4', 'dist', 'antlr4.node.mjs');
const build = ['@griffithswaite', 'ts-plsql-parser', 'build', 'antlr'];
const { default: PlSqlLexer } = await load(...build, 'PlSqlLexer.js');
const { default: PlSqlParser } = await load(...build, 'PlSqlParser.js');

// What the faster way of prediction accepts is right; what it refuses is read again the thorough way.
function errorsOf(text) {
  const errors = read(text, antlr.PredictionMode.SLL);
  return errors.length === 0 ? errors : read(text, antlr.PredictionMode.LL);
}

function read(text, predictionMode) {
  const errors = [];
  const listener = {
    syntaxError(recognizer, symbol, line, column, message) {
      // What else could stand there are hundreds of words.
      errors.push(`line ${line}, column ${column}: ${message.split(' expecting ')[0]}`);
    },
    reportAmbiguity() {},
    reportAttemptingFullContext() {},
    reportContextSensitivity() {},
  };
  const lexer = new PlSqlLexer(new antlr.CharStream(text));
  const parser = new PlSqlParser(new antlr.CommonTokenStream(lexer));
  for (const reader of [lexer, parser]) {
    reader.removeErrorListeners();
    reader.addErrorListener(listener);
  }
  parser._interp.predictionMode = predictionMode;
  try {
    parser.sql_script();
  } catch (error) {
    errors.push(String(error));
  }
  return errors;
}

const texts = JSON.parse(fs.readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(errorsOf)));
