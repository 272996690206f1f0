"""python_pages.py - the reference of the package for Python, of its docstrings.

The sources are read and not imported: what they need need not be there. Public
is what `__all__` of a module names; of classes, all without an underscore.

SPDX-License-Identifier: MIT
"""
import ast
import glob
import os
import re


def indent(lines, by=3):
    return [' ' * by + line if line else '' for line in lines]


def doc(node):
    """The docstring; code in it stands between backquotes."""
    text = ast.get_docstring(node) or ''
    text = re.sub(r'(?<!`)`([^`\n]+)`(?!`)', r'``\1``', text)
    text = re.sub(r'(?<![\w`\\*])(\*+)(?=\w)',
                  lambda m: '\\*' * len(m[1]), text)
    return text.split('\n') + [''] if text else []


def signature(function, is_method):
    arguments = ast.unparse(function.args)
    if is_method:
        arguments = re.sub(r'^(?:self|cls)(?:, )?', '', arguments)
    result = f' -> {ast.unparse(function.returns)}' if function.returns else ''
    return f'{function.name}({arguments}){result}'.replace("'", '')


def constructor(node):
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == '__init__':
            return signature(each, True)[len('__init__'):].removesuffix(
                ' -> None')
    return ''


def member(node):
    """Of a class: a method, a property, a field."""
    if isinstance(node, ast.FunctionDef) and not node.name.startswith('_'):
        marks = [ast.unparse(each) for each in node.decorator_list]
        if 'property' in marks:
            kind = f' -> {ast.unparse(node.returns)}' if node.returns else ''
            return [f'.. py:property:: {node.name}', *indent(
                [f':type: {kind[4:]}'] if kind else []), '',
                *indent(doc(node))]
        lines = [f'.. py:method:: {signature(node, True)}']
        lines += indent([f':{mark}:' for mark in marks
                         if mark in ('classmethod', 'staticmethod')])
        return [*lines, '', *indent(doc(node))]
    if isinstance(node, ast.AnnAssign) and not node.target.id.startswith('_'):
        kind = ast.unparse(node.annotation).replace("'", '')
        return [f'.. py:attribute:: {node.target.id}', f'   :type: {kind}', '']
    if isinstance(node, ast.Assign) and isinstance(
            node.targets[0], ast.Name) and node.targets[0].id.isupper():
        return [f'.. py:attribute:: {node.targets[0].id}',
                f'   :value: {ast.unparse(node.value)}', '']
    return []


def described(node):
    """A public class or function."""
    if isinstance(node, ast.FunctionDef):
        return [f'.. py:function:: {signature(node, False)}', '',
                *indent(doc(node))]
    lines = [f'.. py:class:: {node.name}{constructor(node)}', '',
             *indent(doc(node))]
    for each in node.body:
        lines += indent(member(each))
    return lines


def public(tree):
    """The names of __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(
                node.targets[0], 'id', '') == '__all__' and isinstance(
                    node.value, ast.List):
            return ast.literal_eval(node.value)
    return []


def undocumented(path, tree):
    names = public(tree)
    return [f'{path}:{node.lineno}: {node.name} is public and has no docstring'
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))
            and node.name in names and not ast.get_docstring(node)]


def modules(source):
    for path in sorted(glob.glob(
            os.path.join(source, 'python', 'varve', '*.py'))):
        with open(path, encoding='utf-8') as stream:
            tree = ast.parse(stream.read())
        if public(tree):
            yield os.path.relpath(path, source), tree


def page(source):
    """The lines of the page, and what has no docstring."""
    lines = ['In Python', '=' * 9, '', '.. py:module:: varve', '',
             ':doc:`/docs/python` shows it at work. Installed, ``help(varve)`` '
             'says the same.', '']
    missing = []
    for path, tree in modules(source):
        missing += undocumented(path, tree)
        opening = ast.get_docstring(tree).partition('\n')[0]
        heading = opening.partition(' - ')[2].rstrip('.')
        heading = heading[:1].upper() + heading[1:]
        lines += [heading, '-' * len(heading), '']
        names = public(tree)
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and (
                    node.name in names):
                lines += described(node)
    return lines, missing
