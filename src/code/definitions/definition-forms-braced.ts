/** Forms of definitions in Java and C#, Kotlin, Scala, C and C++, PHP and Swift. */
import { form, generic, type Language, notUse, repeatWords, restOfHeader } from './definition-form.ts';

const objectWords =
  'public|protected|private|internal|static|final|abstract|synchronized|native|default|sealed|non-sealed|partial|' +
  'virtual|override|async|readonly|unsafe|extern|new|const|volatile|transient|required|strictfp';
const typeName = '[\\w.$]+(?:<.*>)?(?:\\[\\])*[?*&]*';
export const objectLanguage = (types: string): Language => ({
  closing: 'braces',
  forms: [
    form(
      'class',
      `^\\s*(?:@\\w+\\s+)*${repeatWords(objectWords)}(?:${types})\\s+(?:class\\s+|struct\\s+)?NAME`,
    ),
    form('constructor', '^\\s+(?:public|protected|private|internal)\\s+NAME\\s*\\('),
    form(
      'method',
      `^${notUse}\\s+${repeatWords(objectWords)}(?:<[^>]+>\\s+)?${typeName}\\s+NAME\\s*${generic}\\s*\\(${restOfHeader}`,
    ),
    form('method', `^\\s+(?:(?:${objectWords})\\s+)+${typeName}\\s+NAME\\s*\\(`),
    form('method', `^${notUse}\\s+${typeName}\\s+NAME\\s*\\([^)]*\\)\\s*(?:throws\\s+[\\w., ]+)?;\\s*$`),
    form('property', `^\\s+(?:(?:${objectWords})\\s+)+${typeName}\\s+NAME\\s*(?:\\{|=>)`),
    form('field', `^\\s+(?:(?:${objectWords})\\s+)+${typeName}\\s+NAME\\s*[=;]`),
    form('namespace', '^\\s*namespace\\s+NAME'),
  ],
});

export const kotlin: Language = {
  closing: 'braces',
  forms: [
    form(
      'function',
      `^\\s*(?:@\\w+\\s+)*${repeatWords('\\w+')}fun\\s+(?:<[^>]+>\\s*)?(?:[\\w<>?.]+\\.)?NAME`,
    ),
    form('class', `^\\s*(?:@\\w+\\s+)*${repeatWords('\\w+')}(?:class|interface|object)\\s+NAME`),
    form('type', `^\\s*${repeatWords('\\w+')}typealias\\s+NAME`),
    form('constant', `^\\s*${repeatWords('\\w+')}val\\s+(?:[\\w<>?.]+\\.)?NAME`),
    form('variable', `^\\s*${repeatWords('\\w+')}var\\s+(?:[\\w<>?.]+\\.)?NAME`),
  ],
};

export const scala: Language = {
  closing: 'braces',
  forms: [
    form('function', `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w\\[\\]]+')}def\\s+NAME`),
    form('class', `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w\\[\\]]+')}(?:class|object|trait|enum)\\s+NAME`),
    form('type', `^\\s*${repeatWords('[\\w\\[\\]]+')}type\\s+NAME`),
    form('constant', `^\\s*${repeatWords('[\\w\\[\\]]+')}(?:val|given)\\s+NAME`),
    form('variable', `^\\s*${repeatWords('[\\w\\[\\]]+')}var\\s+NAME`),
  ],
};

export const c: Language = {
  closing: 'braces',
  forms: [
    form('macro', '^\\s*#\\s*define\\s+NAME'),
    form(
      'class',
      `^\\s*(?:template\\s*<.*>\\s*)?(?:typedef\\s+)?(?:class|struct|union|enum(?:\\s+class)?)\\s+(?:\\w+\\s+)?NAME${restOfHeader}`,
    ),
    form('type', '^\\s*typedef\\s.*[\\s*]NAME\\s*(?:\\[.*\\])?;'),
    form('type', '^\\s*typedef\\s.*\\(\\s*\\*\\s*NAME\\s*\\)'),
    form('type', '^\\}\\s*NAME\\s*;'),
    form('type', '^\\s*using\\s+NAME\\s*='),
    form('namespace', '^\\s*namespace\\s+(?:\\w+::)*NAME'),
    form(
      'function',
      `^${notUse}(?!\\s*(?:#|\\*|//))[A-Za-z_][\\w\\s*&:<>,~\\[\\]]*[\\s*&:~]NAME\\s*\\(${restOfHeader}`,
    ),
    form('function', `^NAME\\s*\\([^;]*\\)?\\s*\\{?\\s*$`),
    form('method', `^${notUse}\\s+[A-Za-z_][\\w\\s*&:<>,~]*[\\s*&~]NAME\\s*\\(.*\\)[^;]*\\{`),
    // A prototype declares a function that is defined elsewhere.
    form(
      'declaration',
      `^${notUse}[A-Za-z_][\\w\\s*&:<>,]*[\\s*&]NAME\\s*\\([^;]*\\)\\s*(?:const|noexcept|override|\\w+\\(.*\\)|__\\w+|\\s)*;\\s*(?:/[/*].*)?$`,
    ),
    form(
      'variable',
      `^(?:(?:static|const|constexpr|extern|inline|volatile)\\s+)+[\\w\\s*&:<>,]*[\\s*&]NAME\\s*(?:\\[.*\\])?\\s*[=;]`,
    ),
  ],
};

export const php: Language = {
  closing: 'braces',
  forms: [
    form(
      'function',
      `^\\s*${repeatWords('abstract|final|public|protected|private|static')}function\\s*&?\\s*NAME`,
    ),
    form('class', `^\\s*${repeatWords('abstract|final|readonly')}(?:class|interface|trait|enum)\\s+NAME`),
    form('constant', `^\\s*${repeatWords('final|public|protected|private')}const\\s+(?:\\w+\\s+)?NAME`),
    form('constant', `^\\s*define\\(\\s*['"]NAME`),
    form(
      'field',
      '^\\s*(?:(?:public|protected|private|static|readonly|var)\\s+)+(?:[?\\w|\\\\]+\\s+)?\\$NAME',
    ),
  ],
};

export const swift: Language = {
  closing: 'braces',
  forms: [
    form('function', `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w()]+')}func\\s+NAME`),
    form(
      'class',
      `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w()]+')}(?:class|struct|enum|protocol|actor|extension)\\s+NAME`,
    ),
    form('type', `^\\s*${repeatWords('\\w+')}(?:typealias|associatedtype)\\s+NAME`),
    form('constant', `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w()]+')}let\\s+NAME`),
    form('variable', `^\\s*(?:@\\w+\\s+)*${repeatWords('[\\w()]+')}var\\s+NAME`),
  ],
};
